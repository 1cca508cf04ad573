package io.viaduct.tunnel.key;

import io.netty.buffer.ByteBuf;

/// Authenticated encryption of datagrams. Bodies lie in arrays, datagrams in direct buffers;
/// nothing is copied between them on the way. Not thread-safe; one per event loop and algorithm.
public interface Aead {
  /// Result of [#open] for a tag that does not verify.
  int BAD_TAG = -1;

  /// Seals a body.
  ///
  /// The header of the datagram, [io.viaduct.tunnel.wire.DatagramHeader#LENGTH] bytes that the tag
  /// covers, must be at `at` already. The sealed body and the tag are written behind it.
  ///
  /// @param datagram direct buffer with room
  void seal(
      EpochKey key,
      long sequence,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      ByteBuf datagram,
      int at);

  /// Opens a datagram.
  ///
  /// @param datagram direct buffer; its bytes behind the header may be overwritten
  /// @param length length of header, body and tag
  /// @return bytes of the body, or [#BAD_TAG]; then the contents of `body` are undefined
  int open(
      EpochKey key, long sequence, ByteBuf datagram, int at, int length, byte[] body, int bodyAt);

  /// Seals a body that travels in several datagrams, from array to array.
  ///
  /// @param header bytes that the tag covers in addition to the body
  /// @param sealed receives the sealed body and the tag, from its start
  void sealLong(
      EpochKey key,
      long sequence,
      byte[] header,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      byte[] sealed);

  /// Opens a body that [#sealLong] has sealed.
  ///
  /// @param sealedBytes length of the sealed body, tag included
  /// @param body receives the plain text from its start; has room for `sealedBytes`
  /// @return bytes of the body, or [#BAD_TAG]
  int openLong(
      EpochKey key, long sequence, byte[] header, byte[] sealed, int sealedBytes, byte[] body);
}
