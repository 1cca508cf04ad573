package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;

/// Receives the packets that a queue reads; called on the queue's event loop.
public interface TunReader {
  /// Called with one packet or superpacket from the kernel. The buffer is the one given to
  /// [TunQueue#start]. The reader may use its bytes until it returns; the reader and writer indexes
  /// have no meaning.
  ///
  /// @param headerOffset offset of the [VirtioNetHeader]
  /// @param packetLength bytes of the IP packet, which begins [VirtioNetHeader#LENGTH] bytes later
  void packet(ByteBuf buffer, int headerOffset, int packetLength);

  /// Called when no more packets are ready, or the share of this wake-up is used. The reader sends
  /// the collected packets.
  void batchEnd();

  /// Called when writing is possible again after [WriteResult#WOULD_BLOCK].
  default void writable() {}
}
