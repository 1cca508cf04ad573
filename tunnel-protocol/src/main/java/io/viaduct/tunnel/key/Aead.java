package io.viaduct.tunnel.key;

import io.netty.buffer.ByteBuf;

/// Authenticated encryption of datagrams: bodies lie in arrays, datagrams in direct buffers, and
/// nothing is copied between them on the way. Not thread-safe; one per event loop and algorithm.
public interface Aead {
  /// Result of [#open] for a tag that does not verify.
  int BAD_TAG = -1;

  /// Seals a body. The header of the datagram, [io.viaduct.tunnel.wire.DatagramHeader#LENGTH] bytes
  /// that the tag covers, is at `at` already; the sealed body and the tag go behind it.
  ///
  /// @param datagram direct, with room
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
  /// @param datagram direct; what is behind its header may be overwritten
  /// @param length of header, body and tag
  /// @return bytes of the body, or [#BAD_TAG]; then `body` holds nothing of use
  int open(
      EpochKey key, long sequence, ByteBuf datagram, int at, int length, byte[] body, int bodyAt);

  /// Seals a body that travels in several datagrams, from array to array.
  ///
  /// @param header what the tag covers beside the body
  /// @param sealed gets the sealed body and the tag, from its start
  void sealLong(
      EpochKey key,
      long sequence,
      byte[] header,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      byte[] sealed);

  /// Opens what [#sealLong] has made.
  ///
  /// @param sealedBytes tag included
  /// @param body with room for as many, its plain text goes to the start
  /// @return bytes of the body, or [#BAD_TAG]
  int openLong(
      EpochKey key, long sequence, byte[] header, byte[] sealed, int sealedBytes, byte[] body);
}
