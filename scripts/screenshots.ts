// Makes the pictures of docs/images/ from the pages as they are now: `npx tsx scripts/screenshots.ts`. It needs Chromium, as
// the tests in a browser do.
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { memoryAdapter } from '../lib/adapters/memory.js'
import { expressAuth } from '../lib/index.js'
import GitHub from '../lib/providers/catalogue/github.js'
import Google from '../lib/providers/catalogue/google.js'
import Keycloak from '../lib/providers/catalogue/keycloak.js'
import Credentials from '../lib/providers/credentials.js'
import Email from '../lib/providers/email.js'
import Passkey from '../lib/providers/passkey.js'
import { launchChromium } from '../test/support/chromium.js'

const client = { clientId: 'example', clientSecret: 'example' }

/** An application with one provider of each kind. */
const app = express().use(
  '/auth',
  expressAuth({
    secret: 'only-for-pictures-'.repeat(3),
    theme: { name: 'Example' },
    adapter: memoryAdapter(),
    session: { strategy: 'jwt' },
    providers: [
      GitHub(client),
      Google(client),
      Keycloak({ ...client, issuer: 'https://id.example/realms/example' }),
      Passkey(),
      Email({ from: 'no-reply@example.com', sendVerificationRequest: () => {} }),
      Credentials({
        credentials: { email: { type: 'email' }, password: { type: 'password' } },
        authorize: () => null,
      }),
    ],
  }),
)

/** Path of the page that each picture shows. */
const PICTURES: Readonly<Record<string, string>> = { 'sign-in.png': '/auth/signin' }

const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url))

mkdirSync(FOLDER, { recursive: true })
const server = app.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, locale: 'en', colorScheme: 'light' })
  for (const [file, path] of Object.entries(PICTURES)) {
    // A name: browsers have no passkeys for an address.
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}${path}`)
    await page.screenshot({ path: `${FOLDER}${file}`, animations: 'disabled' })
    console.log(`docs/images/${file}`)
  }
} finally {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
