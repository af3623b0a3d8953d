/* A text as the part of an address behind '#', and back: deflated, in base64 for addresses. */
'use strict';
const link = {
  async through(stream, bytes) { return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer()); },
  async write(text) {
    const bytes = await link.through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text));
    let letters = '';
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
  },
  bytes(letters) { return Uint8Array.from(atob(letters), c => c.charCodeAt(0)); },
  /* null: it is not one of ours */
  async read(letters) {
    try {
      const bytes = link.bytes(letters.replace(/-/g, '+').replace(/_/g, '/'));
      return new TextDecoder().decode(await link.through(new DecompressionStream('deflate-raw'), bytes));
    } catch (e) { return null; }
  },
};
