// Numbers for people, as the command line prints them.

export function formatCount(n: number): string {
  const size = Math.abs(n);
  if (size < 1000) return Number.isInteger(n) ? String(n) : n.toPrecision(3);
  if (size < 1e6) return `${(n / 1e3).toFixed(2)}k`;
  if (size < 1e9) return `${(n / 1e6).toFixed(2)}m`;
  return `${(n / 1e9).toFixed(2)}b`;
}

export function formatMicros(us: number): string {
  const size = Math.abs(us);
  if (size < 1000) return `${Number.isInteger(us) ? us : us.toPrecision(3)}us`;
  if (size < 1e6) return `${(us / 1e3).toFixed(2)}ms`;
  return `${(us / 1e6).toFixed(2)}sec`;
}

export function formatBytes(n: number): string {
  const size = Math.abs(n);
  if (size < 1024) return `${n}B`;
  if (size < 1024 * 1024) return `${(n / 1024).toFixed(2)}KB`;
  return `${(n / 1024 / 1024).toFixed(2)}MB`;
}

export function formatUnit(unit: string | null, n: number): string {
  switch (unit) {
    case "us":
      return formatMicros(n);
    case "bytes":
      return formatBytes(n);
    case "percent":
      return `${n.toFixed(2)}%`;
    default:
      return formatCount(n);
  }
}

export function formatShare(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : "";
}

export function formatDate(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString();
}
