/** Path where the OpenID provider tells how many requests the applications' servers have sent it. */
export const BACK_CHANNEL_COUNT = '/back-channel-count'

/** How many requests a provider has had from servers. */
export async function countBackChannel(issuer: string): Promise<number> {
  return Number(await (await fetch(`${issuer}${BACK_CHANNEL_COUNT}`)).text())
}
