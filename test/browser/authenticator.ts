import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { CDPSession, Page } from 'playwright-core'

/** A passkey as Chromium's virtual authenticator keeps it; with its private key, so that it can be put into another. */
export interface VirtualPasskey {
  readonly credentialId: string
  readonly isResidentCredential: boolean
  readonly rpId?: string
  readonly privateKey: string
  readonly userHandle?: string
  readonly signCount: number
}

/** A passkey for localhost that nobody registered. */
export const strayPasskey = (): VirtualPasskey => ({
  credentialId: randomBytes(16).toString('base64'),
  isResidentCredential: true,
  rpId: 'localhost',
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'der' })
    .toString('base64'),
  userHandle: randomBytes(16).toString('base64'),
  signCount: 0,
})

/** An authenticator that a page finds in its device, with a person in front of it who does what the test says. */
export class VirtualAuthenticator {
  readonly #session: CDPSession
  readonly #authenticatorId: string

  private constructor(session: CDPSession, authenticatorId: string) {
    this.#session = session
    this.#authenticatorId = authenticatorId
  }

  /** Puts one into the device that a page runs on: a platform authenticator that keeps passkeys and verifies its owner. */
  static async plugInto(page: Page, more: { hasUserVerification?: boolean } = {}): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable', { enableUI: false })
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        ...more,
      },
    })
    return new VirtualAuthenticator(session, authenticatorId)
  }

  /** Whether the person is there: touches the sensor, or picks the suggestion. */
  setPresence(isThere: boolean): Promise<unknown> {
    return this.#send('WebAuthn.setAutomaticPresenceSimulation', { enabled: isThere })
  }

  /** Whether finger, face or PIN are the owner's. When they are not, the browser says what it says of a cancelled dialog. */
  setVerified(isOwner: boolean): Promise<unknown> {
    return this.#send('WebAuthn.setUserVerified', { isUserVerified: isOwner })
  }

  async passkeys(): Promise<VirtualPasskey[]> {
    const { credentials } = (await this.#send('WebAuthn.getCredentials', {})) as { credentials: VirtualPasskey[] }
    return credentials
  }

  add(credential: VirtualPasskey): Promise<unknown> {
    return this.#send('WebAuthn.addCredential', { credential })
  }

  /** Takes it out of the device, with all that it keeps. */
  unplug(): Promise<unknown> {
    return this.#send('WebAuthn.removeVirtualAuthenticator', {})
  }

  #send(method: Parameters<CDPSession['send']>[0], params: object): Promise<unknown> {
    return this.#session.send(method, { authenticatorId: this.#authenticatorId, ...params } as never)
  }
}

/** Lets a page's browser know no suggestions: only what is pressed happens. */
export const withoutSuggestions = (page: Page): Promise<unknown> =>
  page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')

/** Takes passkeys out of a page's browser. */
export const withoutPasskeys = (page: Page): Promise<unknown> => page.addInitScript('delete window.PublicKeyCredential')
