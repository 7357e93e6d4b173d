// Shows the server's OpenAPI document, with a form for every operation.
'use strict';

function element(name, content = [], attributes = {}) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  for (const part of [content].flat()) out.append(part);
  return out;
}

// "integer", "one of a, b", "list of text"
function typeText(schema) {
  if (!schema) return '';
  if (schema.enum) return 'one of ' + schema.enum.join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  if (schema.type === 'array') return 'list of ' + typeText(schema.items);
  return schema.type === 'string' ? 'text' : schema.type ?? '';
}

function parameterRow(parameter, inputs) {
  const name = element('code', parameter.name, parameter.required ? { class: 'required' } : {});
  const id = `field-${inputs.prefix}-${parameter.name}`;
  const input = element('input', [], { id });
  if (parameter.required) input.value = [parameter.example ?? ''].flat().join(' ');
  inputs.fields.push({ parameter, input });
  return element('tr', [
    element('td', element('label', name, { for: id })),
    element('td', typeText(parameter.schema)),
    element('td', [parameter.description, parameter.example === undefined ? '' : ` Example: ${parameter.example}`]),
    element('td', input),
  ]);
}

// The address, from what is filled in.
function addressOf(path, inputs) {
  const query = new URLSearchParams();
  let address = path;
  for (const { parameter, input } of inputs.fields) {
    if (input.value === '') continue;
    if (parameter.in === 'path') {
      address = address.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    } else {
      const isList = parameter.schema.type === 'array';
      for (const value of isList ? input.value.split(/\s+/) : [input.value]) query.append(parameter.name, value);
    }
  }
  const text = query.toString();
  return text === '' ? address : `${address}?${text}`;
}

async function ask(method, address, body, output) {
  output.hidden = false;
  output.textContent = 'Asking …';
  try {
    const options = { method: method.toUpperCase() };
    if (body !== null) Object.assign(options, { body, headers: { 'Content-Type': 'application/json' } });
    const answer = await fetch(address, options);
    let text = await answer.text();
    if ((answer.headers.get('Content-Type') ?? '').startsWith('application/json')) {
      text = JSON.stringify(JSON.parse(text), null, 2);
    }
    const most = 20000;
    const rest = text.length > most ? `\n… ${text.length - most} more characters` : '';
    output.textContent = `${method.toUpperCase()} ${address}\n${answer.status} ${answer.statusText}\n\n${text.slice(0, most)}${rest}`;
  } catch (problem) {
    output.textContent = `The server did not answer: ${problem.message}`;
  }
}

function operationSection(path, method, operation) {
  const inputs = { prefix: operation.operationId, fields: [] };
  const form = element('form');
  if (operation.parameters?.length) {
    const head = element('tr', ['parameter', 'type', 'meaning', 'value'].map((title) => element('th', title)));
    form.append(element('table', [head, ...operation.parameters.map((parameter) => parameterRow(parameter, inputs))]));
  }
  let body = null;
  const content = operation.requestBody?.content?.['application/json'];
  if (content) {
    const id = `body-${operation.operationId}`;
    body = element('textarea', [], { id });
    body.value = JSON.stringify(content.example ?? {}, null, 2);
    form.append(element('p', element('label', 'Body', { for: id })), body);
  }
  const output = element('pre');
  output.hidden = true;
  form.append(element('p', element('button', 'Ask')), output);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    ask(method, addressOf(path, inputs), body === null ? null : body.value, output);
  });
  return element('section', [
    element('h3', [element('span', method.toUpperCase(), { class: 'method' }), ' ', element('code', path)]),
    element('p', operation.summary),
    element('p', `Scope of a token: ${operation['x-scope']}.`),
    element('details', [element('summary', 'Parameters, and a form to try it'), form]),
  ], { id: operation.operationId });
}

async function show() {
  const main = document.getElementById('operations');
  const contents = document.getElementById('contents');
  const answer = await fetch('/api/v1/openapi.json');
  const openapi = await answer.json();
  const byTag = new Map();
  for (const [path, methods] of Object.entries(openapi.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      if (!byTag.has(tag)) byTag.set(tag, []);
      byTag.get(tag).push({ path, method, operation });
    }
  }
  main.replaceChildren();
  for (const [tag, operations] of byTag) {
    const links = operations.map(({ path, method, operation }) =>
      element('li', element('a', `${method.toUpperCase()} ${path}`, { href: `#${operation.operationId}` })));
    contents.append(element('h2', tag), element('ul', links));
    main.append(element('h2', tag), ...operations.map(({ path, method, operation }) =>
      operationSection(path, method, operation)));
  }
}

show().catch((problem) => {
  document.getElementById('operations').textContent = `The document could not be read: ${problem.message}`;
});
