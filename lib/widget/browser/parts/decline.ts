// Lets the service ask for the reason in our words, if the tab keeps what was typed. The other forms need no message of the browser.
try {
  for (const form of document.forms) form.noValidate = Boolean(sessionStorage);
} catch {
  // Without storage, the browser asks: the page stays, and so does what was typed.
}

export {};
