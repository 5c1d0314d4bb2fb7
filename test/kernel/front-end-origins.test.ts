import { expect } from 'chai'
import { frontEndOrigins, isOtherSite, originProblem } from '../../lib/kernel/front-end-origins.js'

describe('an origin of `origins`', () => {
  for (const origin of [
    'https://app.example',
    'https://app.example:8443',
    'http://localhost:5173',
    'http://127.0.0.1:5173',
    'http://[::1]:5173',
    'https://*.app.example',
    'https://pr-*.app.example:8443',
    'http://*.localhost:5173',
    'https://*.team.vercel.app',
    'https://app.vercel.app',
    'https://app.co.uk',
    'https://bücher.example',
  ]) {
    it(`may be ${origin}`, () => expect(originProblem(origin, true)).to.equal(null))
  }

  for (const [origin, problem] of [
    ['*', /every page there is/],
    ['null', /frames and files of anybody/],
    ['', /no origin/],
    [7, /no origin/],
    ['app.example', /no origin/],
    ['//app.example', /no origin/],
    ['ftp://app.example', /no origin/],
    ['javascript:alert(1)', /no origin/],
    [' https://app.example', /no origin/],
    ['https://', /no origin/],
    ['https://app.example:99999', /no origin/],
    ['https://app.example,https://b.example', /no origin/],
    ['https://app.example/', /more than an origin; write "https:\/\/app\.example"/],
    ['https://app.example/login', /write "https:\/\/app\.example"/],
    ['https://app.example?x', /write "https:\/\/app\.example"/],
    ['https://app.example#x', /write "https:\/\/app\.example"/],
    ['https://ada@app.example', /write "https:\/\/app\.example"/],
    ['https://app.example.', /empty label/],
    ['https://.app.example', /empty label/],
    ['https://*', /hosts of anybody/],
    ['https://*.com', /hosts of anybody/],
    ['https://*.example', /hosts of anybody/],
    ['https://app.*', /hosts of anybody/],
    ['https://1.2.3.*', /hosts of anybody/],
    ['https://*.co.uk', /hosts of anybody/],
    ['https://*.github.io', /hosts of anybody/],
    ['https://app-*.vercel.app', /hosts of anybody/],
    ['https://**.app.example', /twice in one label/],
    ['http://app.example', /http, so everybody on the way/],
    ['http://*.app.example', /http, so everybody on the way/],
    ['http://192.168.1.7:5173', /http, so everybody on the way/],
  ] as const) {
    it(`must not be ${JSON.stringify(origin)}`, () => expect(originProblem(origin, true)).to.match(problem))
  }

  it('may have http where the mount has it', () => {
    expect(originProblem('http://app.intranet.example', false)).to.equal(null)
  })

  it('is written in another way, and is the same origin', () => {
    const origins = frontEndOrigins(['HTTPS://App.Example:443', 'http://LOCALHOST:80', 'https://bücher.example'])
    for (const origin of ['https://app.example', 'http://localhost', 'https://xn--bcher-kva.example'])
      expect(origins.has(origin), origin).to.equal(true)
  })

  it('has one port: that of its scheme, where none is written', () => {
    const origins = frontEndOrigins(['https://app.example', 'https://*.app.example', 'https://b.example:80'])
    for (const origin of [
      'https://app.example:80',
      'https://a.app.example:8443',
      'https://b.example',
      'http://b.example',
    ])
      expect(origins.has(origin), origin).to.equal(false)
    expect(origins.has('https://b.example:80')).to.equal(true)
  })

  it('is not looked for in a long text', () => {
    expect(frontEndOrigins(['https://*.app.example']).has(`https://${'a'.repeat(100_000)}.app.example`)).to.equal(false)
  })
})

describe('another site than the mount', () => {
  const mount = new URL('https://api.app.example/auth')
  for (const [origin, isOther] of [
    ['https://app.example', false],
    ['https://www.app.example:8443', false],
    ['https://*.app.example', false],
    ['http://app.example', true],
    ['https://other.example', true],
    ['https://localhost', true],
  ] as const) {
    it(`is${isOther ? '' : ' not'} ${origin}`, () => expect(isOtherSite(origin, mount)).to.equal(isOther))
  }

  it('is each host below a suffix that strangers share, and each address', () => {
    expect(isOtherSite('https://b.vercel.app', new URL('https://a.vercel.app'))).to.equal(true)
    expect(isOtherSite('https://b.co.uk', new URL('https://a.co.uk'))).to.equal(true)
    expect(isOtherSite('http://127.0.0.1:5173', new URL('http://localhost:3000'))).to.equal(true)
    expect(isOtherSite('http://127.0.0.1:5173', new URL('http://127.0.0.2:3000'))).to.equal(true)
    expect(isOtherSite('http://localhost:5173', new URL('http://localhost:3000'))).to.equal(false)
  })
})
