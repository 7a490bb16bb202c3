// How the page looks: light or dark as the reader's system is, readable in print, nothing fetched from anywhere.

export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --front: #1b1f24; --soft: #57606a; --line: #d0d7de; --block: #f6f8fa;
  --prompt: #0550ae; --error: #b3261e; --added: #dafbe1; --removed: #ffebe9; --place: #6639ba; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0d1117; --front: #e6edf3; --soft: #9198a1; --line: #30363d; --block: #161b22;
    --prompt: #79c0ff; --error: #ff9492; --added: #12361f; --removed: #4a1a1c; --place: #d2a8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--front);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; color: var(--prompt); }
h3 { font-size: .9rem; margin: 1.25rem 0 .4rem; color: var(--soft); }
time, .note { color: var(--soft); font-size: .85rem; font-weight: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; font-size: .9rem; }
dt { color: var(--soft); } dd { margin: 0; }
.text { white-space: pre-wrap; }
.prompt .text { border-inline-start: .25rem solid var(--prompt); padding-inline-start: .9rem; }
pre { margin: .4rem 0; padding: .7rem .9rem; overflow-x: auto; max-height: 34rem; background: var(--block);
  border: 1px solid var(--line); border-radius: .4rem; font: .85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
.diff span { display: inline-block; min-width: 100%; }
.added { background: var(--added); } .removed { background: var(--removed); } .place { color: var(--place); }
details { margin: .35rem 0; border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .7rem; }
summary { cursor: pointer; color: var(--soft); }
summary code { color: var(--front); font: .88rem ui-monospace, monospace; }
.failed { border-color: var(--error); } .failed > summary, .error { color: var(--error); }
.error { white-space: pre-wrap; border-inline-start: .25rem solid var(--error); padding-inline-start: .9rem; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .4rem; }
hr { border: 0; border-top: 1px dashed var(--line); margin: 2rem 0 .5rem; }
nav { margin-top: 3rem; border-top: 1px solid var(--line); font-size: .9rem; }
a { color: var(--prompt); } .subagent { margin-top: 3rem; border-top: 2px solid var(--line); padding-top: 1rem; }
.skip { position: absolute; inset-inline-start: -100vw; } .skip:focus { position: static; }
:focus-visible { outline: 2px solid var(--prompt); outline-offset: 2px; }
@media print {
  :root { --back: #fff; --front: #000; --soft: #444; --block: #fff; }
  body { max-width: none; padding: 0; font-size: .8rem; }
  pre { max-height: none; overflow: visible; } .skip, nav { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  article, img { break-inside: avoid-page; }
}
`.trim();
