// A checkbox or a radio button before its label. Its styles are not in the stylesheet of all pages, because few pages have one.

export const CHOICE_STYLE =
  '.choice{display:flex;flex-wrap:wrap;align-items:center;gap:0 .75rem}' +
  '.choice .error{width:100%}' +
  '.choice input{width:1.5rem;min-height:1.5rem;margin:0;accent-color:var(--accent)}' +
  '.choice label{flex:1;margin:0}';
