// The cookies of a browser, with their path and their end (RFC 6265). It knows one host.

export function createCookieJar() {
  const cookies = new Map<string, { pair: string; path: string; endsAt: number }>();
  return {
    /** Stores a cookie of a response. */
    store(setCookie: string, now: number): void {
      const [pair = '', ...attributes] = setCookie.split('; ');
      const attributeOf = (name: string) =>
        attributes.find((attribute) => attribute.startsWith(`${name}=`))?.slice(name.length + 1);
      const path = attributeOf('Path') ?? '/';
      const name = pair.slice(0, pair.indexOf('='));
      cookies.set(`${name} ${path}`, { pair, path, endsAt: now + Number(attributeOf('Max-Age')) * 1000 });
    },
    /** Returns the header of a request, or undefined without a cookie for its path. */
    header(path: string, now: number): string | undefined {
      const sent = [...cookies.values()].filter(
        (cookie) => cookie.endsAt > now && `${path}/`.startsWith(`${cookie.path}/`),
      );
      return sent.length > 0 ? sent.map(({ pair }) => pair).join('; ') : undefined;
    },
  };
}
