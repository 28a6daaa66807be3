// SPDX-License-Identifier: Apache-2.0
// Search without a server. Browsers start no worker from file://, so there a hidden frame takes its place: it runs the worker's
// script, and both sides post messages as before. (The theme would load such a script from another host.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow, page = inside.document;
      inside.outside = this;
      page.open();
      page.write("<!doctype html><html><body></body></html>");
      page.close();
      inside.postMessage = (data) => {
        const told = new MessageEvent("message", { data });
        this.dispatchEvent(told);
        if (this.onmessage) this.onmessage(told);
      };
      const load = (src) => new Promise((done, failed) => {
        const script = page.createElement("script");
        script.src = src;
        script.onload = done;
        script.onerror = failed;
        page.body.appendChild(script);
      });
      inside.importScripts = (...urls) => urls.reduce((before, src) => before.then(() => load(src)), Promise.resolve());
      this.ready = load(new URL(url, location.href).href);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
