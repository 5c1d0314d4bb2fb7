import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Email from '../../../lib/providers/email.js'
import ForwardEmail from '../../../lib/providers/mail/forwardemail.js'
import Loops from '../../../lib/providers/mail/loops.js'
import Mailgun from '../../../lib/providers/mail/mailgun.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Postmark from '../../../lib/providers/mail/postmark.js'
import Resend from '../../../lib/providers/mail/resend.js'
import SendGrid from '../../../lib/providers/mail/sendgrid.js'
import {
  type CustomFetch,
  customFetch,
  type EmailConfig,
  type SendVerificationRequestParams,
} from '../../../lib/providers/provider.js'
import { resolved } from '../../support/mailbox.js'

const KEY = 'the-secret-key'
const FROM = 'Example <no-reply@example.com>'
const URL_IN_MAIL =
  'https://app.example/auth/callback/x?callbackUrl=https%3A%2F%2Fapp.example&token=the-token&email=a%40b.c'
const MESSAGE = { subject: 'Sign in to app.example', html: '<p>the html</p>', text: 'the text' }

interface Seen {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What a mail service gets, in whichever form, by the facts in `email-providers.json`. */
interface Expected {
  readonly make: (options: object) => EmailConfig
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: object
  readonly options?: object
}

const json = { 'content-type': 'application/json' }
const SIMPLE = { from: FROM, to: 'ada@example.com', ...MESSAGE }
const SERVICES: Record<string, Expected> = {
  forwardemail: {
    make: ForwardEmail,
    url: 'https://api.forwardemail.net/v1/emails',
    headers: { ...json, authorization: `Basic ${btoa(`${KEY}:`)}` },
    body: SIMPLE,
  },
  loops: {
    make: Loops,
    url: 'https://app.loops.so/api/v1/transactional',
    headers: { ...json, authorization: `Bearer ${KEY}` },
    body: { transactionalId: 'clx1', email: 'ada@example.com', dataVariables: { url: URL_IN_MAIL } },
    options: { transactionalId: 'clx1' },
  },
  mailgun: {
    make: Mailgun,
    url: 'https://api.mailgun.net/v3/example.com/messages',
    headers: { authorization: `Basic ${btoa(`api:${KEY}`)}` },
    body: SIMPLE,
  },
  postmark: {
    make: Postmark,
    url: 'https://api.postmarkapp.com/email',
    headers: { ...json, accept: 'application/json', 'x-postmark-server-token': KEY },
    body: {
      From: FROM,
      To: 'ada@example.com',
      Subject: MESSAGE.subject,
      TextBody: MESSAGE.text,
      HtmlBody: MESSAGE.html,
      MessageStream: 'outbound',
    },
  },
  resend: {
    make: Resend,
    url: 'https://api.resend.com/emails',
    headers: { ...json, authorization: `Bearer ${KEY}` },
    body: SIMPLE,
  },
  sendgrid: {
    make: SendGrid,
    url: 'https://api.sendgrid.com/v3/mail/send',
    headers: { ...json, authorization: `Bearer ${KEY}` },
    body: {
      personalizations: [{ to: [{ email: 'ada@example.com' }] }],
      from: { email: 'no-reply@example.com', name: 'Example' },
      subject: MESSAGE.subject,
      content: [
        { type: 'text/plain', value: MESSAGE.text },
        { type: 'text/html', value: MESSAGE.html },
      ],
    },
  },
}

describe('mail services', () => {
  const seen: Seen[] = []
  let server: Server
  let origin = ''
  let answer = { status: 200, body: '{}' }

  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method, headers } = request
        const url = `https://${headers['x-real-host']}${request.url}`
        seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  beforeEach(() => {
    seen.length = 0
    answer = { status: 200, body: '{}' }
  })

  /** Sends to the server of the test whatever was meant for a host on the internet. */
  const detour: CustomFetch = (input, init) => {
    const { host, pathname, search } = new URL(String(input))
    const headers = { ...(init?.headers as Record<string, string>), 'x-real-host': host }
    return fetch(origin + pathname + search, { ...init, headers })
  }

  function send(provider: EmailConfig, more: Partial<SendVerificationRequestParams> = {}): Promise<void> {
    const { source } = resolved(provider)
    return Promise.resolve(
      source.sendVerificationRequest({
        identifier: 'ada@example.com',
        token: 'the-token',
        url: URL_IN_MAIL,
        expires: new Date(),
        provider: source,
        theme: {},
        request: new Request('https://app.example'),
        message: MESSAGE,
        ...more,
      }),
    )
  }

  const given = (options: object = {}) => ({ apiKey: KEY, from: FROM, [customFetch]: detour, ...options })

  it('of Loops gets a code for its template', async () => {
    await send(Loops(given({ transactionalId: 'clx1' })), { code: 'WDJB-MJHT' })
    expect(JSON.parse(seen[0]?.body ?? '').dataVariables).to.deep.equal({ url: URL_IN_MAIL, code: 'WDJB-MJHT' })
  })

  it('are all that Auth.js has', () => {
    const folder = new URL('../../../node_modules/@auth/core/providers/', import.meta.url)
    const authjs = readdirSync(folder).filter((file) => {
      return file.endsWith('.js') && readFileSync(new URL(file, folder), 'utf8').includes('type: "email"')
    })
    const own = Object.values(SERVICES).map(({ make }) => make({}).id)
    expect([...own, Nodemailer().id]).to.have.members(authjs.map((file) => file.slice(0, -'.js'.length)))
  })

  for (const [id, { make, url, headers, body, options }] of Object.entries(SERVICES)) {
    describe(id, () => {
      it('is sent exactly what its API takes', async () => {
        await send(make(given(options)))
        expect(seen).to.have.length(1)
        const [request] = seen
        expect(request?.method).to.equal('POST')
        expect(request?.url).to.equal(url)
        expect(request?.headers).to.include(headers)
        expect(request?.headers['user-agent']).to.match(/^latchkey\//)
        if (headers['content-type']) {
          expect(JSON.parse(request?.body ?? '')).to.deep.equal(body)
        } else {
          const type = request?.headers['content-type'] ?? ''
          expect(type).to.match(/^multipart\/form-data; boundary=/)
          const form = await new Response(request?.body, { headers: { 'content-type': type } }).formData()
          expect(Object.fromEntries(form)).to.deep.equal(body)
        }
      })

      it('gets one recipient, whatever the address looks like', async () => {
        await send(make(given(options)), { identifier: 'ada@bücher.example' })
        expect(seen[0]?.body).to.include('ada@xn--bcher-kva.example')
        for (const identifier of [
          'ada@example.com, attacker@evil.example',
          '"a@evil.example"@b.c',
          'ada＠evil.example',
        ]) {
          const error = await send(make(given(options)), { identifier }).catch((reason: Error) => reason)
          expect(error).to.be.instanceOf(TypeError)
        }
        expect(seen).to.have.length(1)
      })

      for (const status of [400, 401, 403, 422, 429, 500, 302]) {
        it(`fails with ${status}, and says no secret`, async () => {
          answer = { status, body: JSON.stringify({ message: `bad key ${KEY}`, echo: URL_IN_MAIL }) }
          const error = await send(make(given(options))).catch((reason: Error) => reason)
          expect(error).to.be.instanceOf(Error)
          const text = `${error?.message} ${JSON.stringify(error)} ${String((error as Error).cause)}`
          if (status !== 302) expect(text).to.include(`"${id}"`).and.include(String(status))
          for (const secret of [KEY, btoa(KEY), 'the-token', 'ada@example.com']) expect(text).to.not.include(secret)
        })
      }

      it('takes its key from the environment when it stands in the list as it is', () => {
        const provider = make({})
        expect(() => resolved({ ...provider, ...options })).to.throw(`AUTH_${id.toUpperCase()}_KEY`)
        expect(resolved({ ...provider, ...options }, { [id]: 'from-env' }).source.apiKey).to.equal('from-env')
        expect(resolved(make({ ...options, apiKey: 'own' }), { [id]: 'from-env' }).source.apiKey).to.equal('own')
      })
    })
  }

  it('that do not answer are given up', async () => {
    const never: CustomFetch = () => new Promise(() => {})
    const sent = send(Resend(given({ [customFetch]: never })))
    const first = await Promise.race([
      sent.then(() => 'sent'),
      new Promise((resolve) => setTimeout(resolve, 30, 'waiting')),
    ])
    expect(first).to.equal('waiting')
    sent.catch(() => {})
  })

  it('that cannot be reached fail without a word of the key', async () => {
    const broken: CustomFetch = () => Promise.reject(new Error('no route'))
    const error = await send(Resend(given({ [customFetch]: broken }))).catch((reason: Error) => reason)
    expect(error?.message).to.equal('POST https://api.resend.com/emails failed: no answer came.')
  })

  it('that say in a good answer that they refuse are believed', async () => {
    answer = { status: 200, body: '{"success":false,"message":"x"}' }
    expect(await send(Loops(given({ transactionalId: 'x' }))).catch((error: Error) => error.message)).to.include(
      'Loops',
    )
    answer = { status: 200, body: '{"ErrorCode":406,"Message":"x"}' }
    expect(await send(Postmark(given())).catch((error: Error) => error.message)).to.include('Postmark')
    answer = { status: 200, body: 'no json' }
    await send(Postmark(given()))
  })

  it('have their regions, domains and streams', async () => {
    await send(Mailgun(given({ region: 'EU', domain: 'mg.example.com' })))
    await send(SendGrid(given({ region: 'EU', from: 'bare@example.com' })))
    await send(Postmark(given({ messageStream: 'sign-in' })))
    expect(seen[0]?.url).to.equal('https://api.eu.mailgun.net/v3/mg.example.com/messages')
    expect(seen[1]?.url).to.equal('https://api.eu.sendgrid.com/v3/mail/send')
    expect(JSON.parse(seen[1]?.body ?? '').from).to.deep.equal({ email: 'bare@example.com' })
    expect(JSON.parse(seen[2]?.body ?? '').MessageStream).to.equal('sign-in')
  })

  it('send from the host itself unless a sender is named', async () => {
    await send(Resend({ apiKey: KEY, [customFetch]: detour }))
    expect(JSON.parse(seen[0]?.body ?? '').from).to.equal('no-reply@app.example')
  })

  it('are reported at start with everything that they lack', () => {
    const missing = [
      [Resend(), 'AUTH_RESEND_KEY'],
      [Loops({ apiKey: KEY }), '`transactionalId`'],
      [Nodemailer(), '`server`'],
      [Email(), '`server`'],
      [{ id: 'x', name: 'X', type: 'email' }, 'sendVerificationRequest'],
      [Resend({ apiKey: KEY, maxAge: 0 }), '`maxAge`'],
      [Resend({ apiKey: KEY, maxAge: '600' as never }), '`maxAge`'],
      [Resend({ apiKey: KEY, from: 'a@b, c@d' }), '`from`'],
      [Resend({ apiKey: KEY, secret: '' }), '`secret`'],
      [Resend({ apiKey: KEY, confirm: 'sometimes' as never }), '`confirm`'],
      [Resend({ apiKey: KEY, normalizeIdentifier: 'lower' as never }), '`normalizeIdentifier`'],
    ] as const
    for (const [provider, word] of missing) expect(() => resolved(provider as EmailConfig), word).to.throw(word)
  })

  it('need nothing of their own when the application sends', () => {
    const sendVerificationRequest = () => {}
    expect(resolved(Resend({ sendVerificationRequest })).source.sendVerificationRequest).to.equal(
      sendVerificationRequest,
    )
    expect(resolved(Email({ sendVerificationRequest }))).to.include({ id: 'email', name: 'Email', maxAge: 86_400 })
  })
})
