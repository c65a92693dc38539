// Part of the form's script: the server's rules in the browser, and problems shown where the server shows them.

/** Starts the form's script: the names that its other parts share. */
export const CHECK = String.raw`
var root = document.documentElement;
function byId(id) { return document.getElementById(id); }
function list(items) { return Array.prototype.slice.call(items); }
function make(tag, className, text) {
  var element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
var form = byId('claim');
var people = byId('policy-linkedContacts');
var problemBox = byId('problems');
var problemList = byId('problem-list');
var sections = list(form.querySelectorAll('[data-step]'));

function inputsOf(element) { return list(element.querySelectorAll('input, textarea')); }
function labelOf(input) { return input.labels[0].firstChild.textContent; }
function isNeeded(input) { return input.getAttribute('aria-required') === 'true'; }
function isDateField(input) { return input.getAttribute('type') === 'date'; }
function rowOf(input) { return input.closest('[data-row]'); }
function isBlank(row) {
  return inputsOf(row).every(function (input) { return !input.value.trim() && !input.validity.badInput; });
}
function isDate(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.slice(0, 4) === '0000') return false;
  var date = new Date(text + 'T00:00:00Z');
  return !isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

function check(input) {
  var value = input.value.trim();
  if (input.validity.badInput) return 'must be a real date';
  if (!value) {
    var needed = isNeeded(input) || (input.hasAttribute('data-row-need') && !isBlank(rowOf(input)));
    return needed ? 'must not be empty' : '';
  }
  if (input.maxLength > 0 && Array.from(value).length > input.maxLength) {
    return 'must not be longer than ' + input.maxLength + ' characters';
  }
  if (input.type === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)) return 'must be an e-mail address';
  if (isDateField(input) && !isDate(value)) return 'must be a real date';
  if (input.name === '/policy/validTo' && value < form.elements.namedItem('/policy/validFrom').value.trim()) {
    return 'must not be before validFrom';
  }
  return '';
}

function problemsIn(section) {
  var problems = [];
  inputsOf(section).forEach(function (input) {
    var detail = check(input);
    if (detail) problems.push({ pointer: input.name, detail: detail });
  });
  return problems;
}

function sentence(label, detail) {
  var words = detail.replace('validFrom', '“Valid from”');
  var text = /^[a-z]/.test(words) ? label + ' ' + words : words;
  return /[.!?]$/.test(text) ? text : text + '.';
}

function describe(target, message) {
  var ids = [];
  if (byId(target.id + '-hint')) ids.push(target.id + '-hint');
  if (message) ids.push(target.id + '-error');
  if (ids.length) target.setAttribute('aria-describedby', ids.join(' '));
  else target.removeAttribute('aria-describedby');
}

function mark(target, message) {
  var error = make('p', 'error');
  error.id = target.id + '-error';
  error.append(make('span', 'vh', 'Error: '), message);
  if (target === people) people.querySelector('.hint').after(error);
  else {
    target.before(error);
    target.setAttribute('aria-invalid', 'true');
  }
  describe(target, message);
}

function clearProblems() {
  list(form.querySelectorAll('.error')).forEach(function (error) { error.remove(); });
  list(form.querySelectorAll('[aria-invalid]')).forEach(function (input) {
    input.removeAttribute('aria-invalid');
    describe(input, '');
  });
  describe(people, '');
  problemList.textContent = '';
  problemBox.hidden = true;
}

function targetOf(pointer) {
  var input = form.elements.namedItem(pointer);
  if (input && input.name === pointer) return input;
  return pointer.indexOf('/policy/linkedContacts') === 0 ? people : null;
}

/** Shows problems, and says in which section the first of them is: -1 where no field stands for any. */
function showProblems(problems) {
  var first = sections.length;
  var seen = [];
  clearProblems();
  problems.forEach(function (problem) {
    var target = targetOf(String(problem.pointer || ''));
    var item = make('li');
    var detail = String(problem.detail);
    if (target) {
      if (seen.indexOf(target) >= 0) return;
      seen.push(target);
      var message = sentence(target === people ? 'People we may also contact' : labelOf(target), detail);
      var row = rowOf(target);
      var link = make('a', '', (row ? row.querySelector('legend').textContent + ': ' : '') + message);
      link.href = '#' + target.id;
      item.append(link);
      mark(target, message);
      first = Math.min(first, sections.indexOf(target.closest('[data-step]')));
    } else item.textContent = sentence('Something in the form', detail);
    problemList.append(item);
  });
  problemBox.hidden = false;
  return first < sections.length ? first : -1;
}
`;
