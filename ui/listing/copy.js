// Copy a text and say so on the button for a moment.
export async function copied(button, text) {
  button.dataset.says ??= button.textContent;
  button.textContent = (await toClipboard(text)) ? "Copied" : "Could not copy";
  setTimeout(() => {
    button.textContent = button.dataset.says;
  }, 1500);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

// A page served without https has no clipboard: select the text and copy it the old way.
function copiedByHand(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position:fixed;opacity:0";
  document.body.append(field);
  field.select();
  const worked = document.execCommand("copy");
  field.remove();
  return worked;
}
