package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.IcmpError;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;

/// Applies the path MTU that was found to outgoing packets and compounds.
final class PacketSizes {
  private final PathBudget budget;
  private final LoopMemory memory;
  private final ClassCompounds compounds;
  private final PacketEncoder encoder;
  private final VerdictCounters verdicts;
  private final IcmpError icmp = new IcmpError();
  private int fittedTo;

  /// Creates the sizes of one session.
  ///
  /// @param compounds made for the size that the search begins with, as is `encoder`
  PacketSizes(
      PathBudget budget,
      LoopMemory memory,
      ClassCompounds compounds,
      PacketEncoder encoder,
      VerdictCounters verdicts) {
    this.budget = budget;
    this.memory = memory;
    this.compounds = compounds;
    this.encoder = encoder;
    this.verdicts = verdicts;
    this.fittedTo = budget.bodyBytesMax();
  }

  /// Returns the largest inner packet that fits into one datagram now, in bytes.
  int innerMtu() {
    return budget.innerMtu();
  }

  /// Applies a change of the address family to new compounds, and to those that wait: one that no
  /// longer fits leaves in fragments.
  void header(OuterHeader of, long nowNs) {
    if (of != budget.header()) {
      budget.header(of);
      fit(nowNs);
      compounds.refit();
    }
  }

  /// Applies the size of the search to new compounds, if it has changed.
  void fit(long nowNs) {
    int most = budget.bodyBytesMax();
    if (most != fittedTo) {
      fittedTo = most;
      compounds.resize(nowNs);
      encoder.resize(most);
    }
  }

  /// Takes the kernel's refusal of datagrams with so many bytes.
  void tooLong(int datagramBytes, long nowNs) {
    budget.mtu.tooBig(datagramBytes + budget.headerBytes(), nowNs);
    fit(nowNs);
  }

  /// Reports the largest size to the sender of a packet that does not fit, if the RFCs allow an
  /// answer.
  ///
  /// @param size largest packet that fits, in bytes
  void answerTooBig(IpPacket packet, int size, InnerPacketSink sink, long nowNs) {
    IpPacket answer = memory.restored.packet(IcmpError.BYTES_MAX);
    int bytes = icmp.tooBig(packet, size, answer.buffer(), answer.start(), nowNs);
    if (bytes > 0) {
      verdicts.count(Verdict.TOLD_TOO_BIG);
      sink.packet(null, memory.restored.packet(bytes));
    }
  }
}
