package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.wire.Verdict;

/// What the size that the path is found to carry means for packets and compounds on their way out.
final class PacketSizes {
  private final TunnelTerms terms;
  private final PathMtuSearch mtu;
  private final LoopMemory memory;
  private final ClassCompounds compounds;
  private final PacketEncoder encoder;
  private final long[] verdicts;
  private final PacketTooBig tooBig = new PacketTooBig();
  private int fittedTo;

  /// @param compounds made for the size that the search begins with, as is `encoder`
  PacketSizes(
      TunnelTerms terms,
      PathMtuSearch mtu,
      LoopMemory memory,
      ClassCompounds compounds,
      PacketEncoder encoder,
      long[] verdicts) {
    this.terms = terms;
    this.mtu = mtu;
    this.memory = memory;
    this.compounds = compounds;
    this.encoder = encoder;
    this.verdicts = verdicts;
    this.fittedTo = mtu.size();
  }

  /// Largest inner packet that fits into one datagram now.
  int innerMtu() {
    return terms.innerMtu(mtu.size());
  }

  /// The search may have found another size: what is made from here on follows.
  void fit(long nowNs) {
    int size = mtu.size();
    if (size != fittedTo) {
      fittedTo = size;
      compounds.resize(size, nowNs);
      encoder.resize(terms.bodyBytesMax(size));
    }
  }

  /// The kernel refuses datagrams of so many bytes.
  void tooLong(int datagramBytes, long nowNs) {
    mtu.tooBig(datagramBytes + terms.outerHeaderBytes(), nowNs);
    fit(nowNs);
  }

  /// Tells the sender of a packet that does not fit, if it may be told.
  void answerTooBig(ByteBuf packet, int ipOffset, int length, InnerPacketSink sink, long nowNs) {
    ByteBuf to = memory.packet;
    int at = LoopMemory.IP_OFFSET;
    int bytes = tooBig.answer(packet, ipOffset, length, innerMtu(), to, at, nowNs);
    if (bytes > 0) {
      verdicts[Verdict.TOLD_TOO_BIG.ordinal()]++;
      sink.packet(null, to, at, bytes, 0, false);
    }
  }
}
