import { component$, Slot } from '@builder.io/qwik'
import { Link, type RequestHandler } from '@builder.io/qwik-city'

/** As in a new application of Qwik. Latchkey takes it back for visitors who are signed in. */
export const onGet: RequestHandler = ({ cacheControl }) => {
  cacheControl({ staleWhileRevalidate: 60 * 60 * 24 * 7, maxAge: 5 })
}

export default component$(() => (
  <>
    <nav>
      <Link href="/">Home</Link> <Link href="/login/">Log in</Link>{' '}
      {/* Qwik would fetch the data of guarded pages in advance, and get nothing. */}
      <Link href="/private/" prefetch="js">
        Private
      </Link>{' '}
      <Link href="/members/" prefetch="js">
        Members
      </Link>
    </nav>
    <Slot />
  </>
))
