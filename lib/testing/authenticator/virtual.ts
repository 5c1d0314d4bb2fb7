/** A connection to the developer tools of Chromium, as Playwright gives it. */
export interface DevToolsSession {
  send(method: never, params?: object): Promise<unknown>
  detach(): Promise<void>
}

/** A page of Playwright. */
export interface PageWithDevTools {
  context(): { newCDPSession(page: never): Promise<DevToolsSession> }
}

/** Options of {@link virtualAuthenticator}. */
export interface VirtualAuthenticatorOptions {
  /** Whether finger, face or PIN are the owner's; true by default. */
  readonly userVerified?: boolean
}

/** A passkey that Chromium keeps. */
export interface VirtualPasskey {
  /** Base64. */
  readonly credentialId: string
  readonly rpId: string
  /** The id of the user that the site gave; base64. */
  readonly userHandle: string
  readonly signCount: number
}

/** An authenticator in Chromium. */
export interface VirtualAuthenticator extends AsyncDisposable {
  /** The passkeys that it keeps. */
  passkeys(): Promise<readonly VirtualPasskey[]>
  /**
   * Whether the person touches the sensor, or picks a suggestion, at the next dialogs. A dialog without the person stays open
   * until its time is over.
   */
  setUserPresent(isPresent: boolean): Promise<void>
  /** Whether finger, face or PIN are the owner's at the next dialogs. If not, the browser says what it says of Cancel. */
  setUserVerified(isVerified: boolean): Promise<void>
  /** Forgets all passkeys. */
  clear(): Promise<void>
  /** Takes the authenticator out of the browser. */
  remove(): Promise<void>
}

/**
 * Puts an authenticator into the browser of a page of Playwright. It keeps passkeys, and does at once what a person would do.
 * Only Chromium has such authenticators, and only for the given page.
 *
 * @see WebAuthn Level 3 §11; the domain WebAuthn of the Chrome DevTools Protocol
 */
export async function virtualAuthenticator(
  page: PageWithDevTools,
  { userVerified = true }: VirtualAuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page as never)
  const send = (command: string, params: object = {}) => session.send(`WebAuthn.${command}` as never, params)
  await send('enable')
  const { authenticatorId } = (await send('addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: userVerified,
      automaticPresenceSimulation: true,
    },
  })) as { readonly authenticatorId: string }

  async function remove(): Promise<void> {
    await send('removeVirtualAuthenticator', { authenticatorId })
    await session.detach()
  }

  return {
    async passkeys() {
      const { credentials } = (await send('getCredentials', { authenticatorId })) as {
        readonly credentials: readonly VirtualPasskey[]
      }
      return credentials
    },
    async setUserPresent(enabled) {
      await send('setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    async setUserVerified(isUserVerified) {
      await send('setUserVerified', { authenticatorId, isUserVerified })
    },
    async clear() {
      await send('clearCredentials', { authenticatorId })
    },
    remove,
    [Symbol.asyncDispose]: remove,
  }
}
