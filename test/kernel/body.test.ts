import { expect } from 'chai'
import fc from 'fast-check'
import {
  BODY_LIMIT_BYTES,
  bodyKind,
  checkFields,
  decodeBody,
  fieldsOfForm,
  parseBody,
  parseForm,
} from '../../lib/kernel/body.js'
import { RequestRefused } from '../../lib/kernel/errors.js'
import { incomingFromRequest, requestForCallback } from '../../lib/kernel/incoming.js'

/** What work gives, or the status it refuses with; anything else thrown is a fault. */
function outcome<T>(work: () => T): T | number {
  try {
    return work()
  } catch (error) {
    if (error instanceof RequestRefused) return error.status
    throw error
  }
}

describe('parseBody', () => {
  it('refuses half of a surrogate pair: all halves have the same bytes', () => {
    for (const text of ['{"a":"\\ud800"}', '{"a":["\\udfff"]}', '{"\\ud800":1}'])
      expect(outcome(() => parseBody(text, 'json'))).to.equal(400)
    expect(parseBody('{"a":"\\ud83d\\ude00"}', 'json')).to.deep.include({ a: '😀' })
  })

  it('gives fields or refuses with 4xx, whatever it is given (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('form' as const, 'json' as const), (text, kind) => {
        const result = outcome(() => parseBody(text, kind))
        if (typeof result === 'number') expect(result).to.be.oneOf([400, 413])
        else expect(Object.getPrototypeOf(result)).to.equal(null)
      }),
      { numRuns: 2000 },
    )
  })

  it('reads back every JSON object without unsafe names (property)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (object) => {
        const text = JSON.stringify(object)
        const result = outcome(() => parseBody(text, 'json'))
        if (typeof result === 'number') expect(text).to.match(/\\u0000|__proto__|constructor|prototype/)
        else expect({ ...result }).to.deep.equal(JSON.parse(text))
      }),
    )
  })

  it('reads back every form (property)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.string({ unit: 'grapheme' })), (fields) => {
        const text = new URLSearchParams(fields).toString()
        const hasNul = Object.values(fields).some((value) => value.includes('\0'))
        const unsafe = Object.keys(fields).some((name) => /^(constructor|prototype)$/.test(name))
        const result = outcome(() => parseBody(text, 'form'))
        if (hasNul || unsafe) expect(result).to.equal(400)
        else expect({ ...(result as object) }).to.deep.equal({ ...fields })
      }),
    )
  })

  it('counts bytes, not characters', () => {
    expect(outcome(() => parseBody(`a=${'ü'.repeat(BODY_LIMIT_BYTES / 2)}`, 'form'))).to.equal(413)
    expect(outcome(() => parseBody(`a=${'a'.repeat(BODY_LIMIT_BYTES - 2)}`, 'form'))).to.not.be.a('number')
  })

  it('refuses unsafe names however deep they are, and other names never', () => {
    for (const text of [
      '{"a":{"b":[{"__proto__":1}]}}',
      '{"constructor":1}',
      '{"a.__proto__.b":1}',
      '{"a[constructor]":1}',
    ]) {
      expect(
        outcome(() => parseBody(text, 'json')),
        text,
      ).to.equal(400)
    }
    for (const name of ['reconstructor', 'constructors', 'my_prototype', '__proto', 'proto__']) {
      expect(
        outcome(() => parseForm(`${name}=1`)),
        name,
      ).to.have.property(name, '1')
    }
  })

  it('refuses text that is not UTF-8 rather than replacing characters of a password', () => {
    expect(decodeBody(Buffer.from('pässword'))).to.equal('pässword')
    expect(outcome(() => decodeBody(Buffer.from('pässword', 'latin1')))).to.equal(400)
  })
})

describe('fieldsOfForm', () => {
  it('reads the text fields of a form that a framework has read', () => {
    const form = new FormData()
    form.set('username', 'ada')
    form.set('picture', new Blob(['x']), 'x.png')
    for (const pairs of [form, new URLSearchParams('username=ada')])
      expect({ ...fieldsOfForm(pairs) }).to.deep.equal({ username: 'ada' })
    expect(Object.getPrototypeOf(fieldsOfForm(form))).to.equal(null)
  })

  it('refuses a repeated name as parseForm does, also where one of them is a file', () => {
    const form = new FormData()
    form.set('password', 'lovelace')
    form.append('password', new Blob(['x']), 'x.png')
    for (const pairs of [form, new URLSearchParams('password=a&password=lovelace')])
      expect(outcome(() => fieldsOfForm(pairs))).to.equal(400)
    expect(outcome(() => parseForm('password=a&password=lovelace'))).to.equal(400)
  })
})

describe('checkFields', () => {
  it('applies the same rules to fields that a parser of the app has read', () => {
    expect(outcome(() => checkFields({ a: ['1', '2'] }, 'form'))).to.equal(400)
    expect(outcome(() => checkFields({ a: ['1', '2'] }, 'json'))).to.deep.equal({ a: ['1', '2'] })
    expect(outcome(() => checkFields([], 'json'))).to.equal(400)
    expect(outcome(() => checkFields({ a: { constructor: { prototype: 1 } } }, 'form'))).to.equal(400)
    expect(outcome(() => checkFields({ a: '\0' }, 'form'))).to.equal(400)
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    expect(outcome(() => checkFields(circular, 'json'))).to.equal(400)
  })
})

describe('bodyKind', () => {
  it('recognizes form, JSON and neither by the content type, in any letter case', () => {
    expect(bodyKind('application/json', false)).to.equal('json')
    expect(bodyKind('Application/JSON;charset=UTF-8', false)).to.equal('json')
    expect(bodyKind('application/x-www-form-urlencoded; charset="utf-8"', false)).to.equal('form')
    expect(bodyKind(undefined, true)).to.equal('none')
    expect(bodyKind('text/plain', true)).to.equal('none')
    expect(outcome(() => bodyKind(undefined, false))).to.equal(415)
    expect(outcome(() => bodyKind('text/plain', false))).to.equal(415)
  })

  it('never fails otherwise (property)', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (type, isEmpty) => {
        expect(outcome(() => bodyKind(type, isEmpty))).to.be.oneOf(['form', 'json', 'none', 415])
      }),
    )
  })
})

describe('a web Request as it is read', () => {
  const read = (body: BodyInit, headers: Record<string, string>) =>
    incomingFromRequest(new Request('https://app.example/auth/x?y=1', { method: 'POST', body, headers })).fields()
  const status = (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error) => (error instanceof RequestRefused ? error.status : error),
    )

  it('refuses what a Node request would be refused for', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await status(read('a=1', form))).to.equal(200)
    expect(await status(read(`a=${'a'.repeat(BODY_LIMIT_BYTES)}`, form))).to.equal(413)
    expect(await status(read('a=1', { 'content-type': 'text/plain' }))).to.equal(415)
    expect(await status(read('a=1', { ...form, 'content-encoding': 'gzip' }))).to.equal(415)
    expect(await status(read(Buffer.from('a=\xff', 'latin1'), form))).to.equal(400)
  })

  it('is read once, however often it is asked for', async () => {
    const incoming = incomingFromRequest(
      new Request('https://app.example/', {
        method: 'POST',
        body: '{"a":1}',
        headers: { 'content-type': 'application/json' },
      }),
    )
    expect(await incoming.fields()).to.equal(await incoming.fields())
  })

  it('is handed to callbacks with its fields as JSON, and its length is theirs', async () => {
    const headers = { 'content-length': '3', 'transfer-encoding': 'chunked' }
    const sent = new Request('https://app.example/auth/x?y=1', { method: 'POST', body: 'a=1', headers })
    const incoming = incomingFromRequest(sent)
    for (const { headers: given } of [
      requestForCallback(incoming, 'https://app.example', { a: 1 }),
      requestForCallback(incoming, 'https://app.example'),
    ]) {
      expect([given.has('content-length'), given.has('transfer-encoding')]).to.deep.equal([false, false])
    }
    const request = requestForCallback(incoming, 'https://app.example', { a: 1 })
    expect([request.method, request.url, request.headers.get('content-type')]).to.deep.equal([
      'POST',
      'https://app.example/auth/x?y=1',
      'application/json',
    ])
    expect(await request.json()).to.deep.equal({ a: 1 })
  })
})
