// Part of the form's script: one step at a time, the rows of contacts, the review.

/** Needs the names of `CHECK`. */
export const STEPS_SCRIPT = `
var status = byId('status');
var marks = list(document.querySelectorAll('.progress li'));
var addButton = people.querySelector('[data-add]');
var rowTemplate = byId('person-template');
var review = byId('review');
var last = sections.length - 1;
var current = Math.max(0, sections.findIndex(function (section) { return section.hasAttribute('data-current'); }));
var sent = false;

function headingOf(section) { return section.querySelector('h2'); }

function show(index) {
  current = index;
  sections.forEach(function (section, n) { section.toggleAttribute('data-current', n === index); });
  marks.forEach(function (item, n) {
    item.toggleAttribute('data-done', n < index);
    if (n === index) item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
  });
  if (index === last) writeReview();
  writeTitle();
}

function writeTitle() {
  document.title = (problemBox.hidden ? '' : 'Error: ') + headingOf(sections[current]).textContent +
    ' (step ' + (current + 1) + ' of ' + sections.length + ') – ' + form.dataset.title;
}

function focusOn(element) {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'start' });
}

/** Every step is an entry in the history, so that the browser's Back does not throw away what was typed. */
function go(index) {
  if (index !== current) history.pushState({ step: index }, '');
  show(index);
}

function open(index) {
  clearProblems();
  go(index);
  window.scrollTo(0, 0);
  headingOf(sections[index]).focus({ preventScroll: true });
}

function report(problems) {
  var index = showProblems(problems);
  go(index < 0 ? current : index);
  focusOn(problemBox);
}

function next() {
  tidyRows();
  var problems = problemsIn(sections[current]);
  if (problems.length) report(problems);
  else open(current + 1);
}

function rows() { return list(people.querySelectorAll('[data-row]')); }

function renumber() {
  rows().forEach(function (row, n) {
    list(row.querySelectorAll('[name], [id], [for], [aria-describedby]')).forEach(function (element) {
      ['name', 'id', 'for', 'aria-describedby'].forEach(function (name) {
        var value = element.getAttribute(name);
        if (value) element.setAttribute(name, value.replace(/(linkedContacts[-/])[^-/]+/g, '$1' + n));
      });
    });
    list(row.querySelectorAll('[data-number]')).forEach(function (place) { place.textContent = String(n + 1); });
  });
  addButton.hidden = rows().length >= Number(people.dataset.max);
}

function tidyRows() {
  rows().forEach(function (row) { if (isBlank(row)) row.remove(); });
  renumber();
}

function addRow() {
  addButton.before(rowTemplate.content.cloneNode(true));
  renumber();
  inputsOf(rows().pop())[0].focus();
}

function removeRow(row) {
  var name = row.querySelector('legend').textContent;
  clearProblems();
  row.remove();
  renumber();
  status.textContent = name + ' removed.';
  addButton.focus();
}

function textOf(input) {
  var value = input.value.trim();
  if (!value || !isDateField(input) || !isDate(value)) return value;
  return new Date(value + 'T00:00:00Z').toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

function addLine(lines, label, text, needed) {
  var line = make('div');
  line.append(make('dt', '', label), make('dd', text ? '' : needed ? 'missing' : 'muted', text || (needed ? 'Missing' : 'Not given')));
  lines.append(line);
}

function writeReview() {
  review.textContent = '';
  sections.slice(0, last).forEach(function (section, index) {
    var title = headingOf(section).textContent;
    var block = make('section', 'summary');
    var head = make('div', 'summary-head');
    var change = make('button', 'button quiet', 'Change');
    var lines = make('dl');
    change.type = 'button';
    change.append(make('span', 'vh', ' ' + title.charAt(0).toLowerCase() + title.slice(1)));
    change.addEventListener('click', function () { open(index); });
    head.append(make('h3', '', title), change);
    inputsOf(section).forEach(function (input) {
      if (!rowOf(input)) addLine(lines, labelOf(input), textOf(input), isNeeded(input));
    });
    rows().forEach(function (row) {
      if (!section.contains(row) || isBlank(row)) return;
      var values = inputsOf(row).map(function (input) { return input.value.trim(); });
      var name = (values[0] + ' ' + values[1]).trim();
      addLine(lines, row.querySelector('legend').textContent, [name].concat(values.slice(2)).filter(Boolean).join(', '), true);
    });
    block.append(head, lines);
    review.append(block);
  });
}

form.addEventListener('click', function (event) {
  var button = event.target.closest('button');
  if (!button) return;
  if (button.hasAttribute('data-next')) next();
  else if (button.hasAttribute('data-back')) open(Math.max(0, current - 1));
  else if (button.hasAttribute('data-add')) addRow();
  else if (button.hasAttribute('data-remove')) removeRow(button.closest('[data-row]'));
});

problemList.addEventListener('click', function (event) {
  var link = event.target.closest('a');
  if (!link) return;
  var target = byId(link.hash.slice(1));
  event.preventDefault();
  go(sections.indexOf(target.closest('[data-step]')));
  target.focus();
});

window.addEventListener('popstate', function (event) {
  if (sent) return location.reload();
  if (!event.state || typeof event.state.step !== 'number' || !sections[event.state.step]) return;
  clearProblems();
  show(event.state.step);
  headingOf(sections[current]).focus();
});
`;
