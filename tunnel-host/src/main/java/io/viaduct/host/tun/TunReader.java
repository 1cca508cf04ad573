package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;

/// Takes what a queue reads; called on the queue's event loop.
public interface TunReader {
  /// One packet or superpacket from the kernel. The buffer is the one given to [TunQueue#start];
  /// its bytes are the reader's until it returns, its reader and writer index mean nothing.
  ///
  /// @param headerOffset where the [VirtioNetHeader] begins
  /// @param packetLength bytes of the IP packet, which begins [VirtioNetHeader#LENGTH] further
  void packet(ByteBuf buffer, int headerOffset, int packetLength);

  /// Nothing more to read for now, or the share of this wake-up is used: send what was collected.
  void batchEnd();

  /// Writing, which was refused with [WriteResult#WOULD_BLOCK], is possible again.
  default void writable() {}
}
