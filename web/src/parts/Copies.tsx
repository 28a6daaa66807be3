// The same report as text, CSV or JSON: to the clipboard, or as a file.
import { useState } from "preact/hooks";
import { text } from "../api";
import { isReport } from "../held";

const FORMATS = [
  { name: "text", title: "text" },
  { name: "csv", title: "CSV" },
  { name: "json", title: "JSON" },
];

/** `path` has its query already, without a format. */
export function Copies({ path, file }: { path: string; file: string }) {
  const [told, setTold] = useState("");
  const copy = async (format: string, title: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text(`${path}&format=${format}`));
      setTold(`${title} copied`);
    } catch (fault) {
      setTold(fault instanceof Error ? fault.message : String(fault));
    }
    setTimeout(() => setTold(""), 2500);
  };
  if (isReport) return null; // it holds none of these
  return (
    <p class="tools copies">
      {FORMATS.map((f) => (
        <span key={f.name} class="pair">
          <button type="button" onClick={() => void copy(f.name, f.title)}>Copy {f.title}</button>
          <a class="button" href={`${path}&format=${f.name}`} download={`${file}.${f.name === "text" ? "txt" : f.name}`} aria-label={`download ${f.title}`}>↓</a>
        </span>
      ))}
      <span class="soft" role="status">{told}</span>
    </p>
  );
}
