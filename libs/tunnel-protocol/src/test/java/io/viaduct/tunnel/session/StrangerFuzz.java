package io.viaduct.tunnel.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.Verdict;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Sends whole datagrams of a stranger without the keys, under the real cipher. Rule: never
/// accepted, and nothing changes.
final class StrangerFuzz {
  private static final LoopbackRig RIG = new LoopbackRig();

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    for (TunnelSession session : List.of(RIG.snapt, RIG.agent)) {
      Verdict verdict = RIG.receive(session, input);
      if (verdict == Verdict.ACCEPTED
          || session.totals().receivedDatagrams() != 0
          || session.flows().size() != 0
          || session.binding() != null) {
        throw new AssertionError("a stranger's datagram got " + verdict);
      }
    }
  }

  static List<byte[]> seeds() {
    try (LoopbackRig rig = new LoopbackRig()) {
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(5000, 7, 53), new byte[100]));
      rig.passDeadline(rig.agent);
      rig.probe();
      byte[] data = rig.up.removeFirst();
      byte[] probe = rig.up.removeFirst();
      return List.of(withoutTag(data), withoutTag(probe));
    }
  }

  /// Clears the tag: the fuzzer would find a tag that differs in one bit only.
  private static byte[] withoutTag(byte[] datagram) {
    Arrays.fill(datagram, datagram.length - AeadAlgorithm.TAG_BYTES, datagram.length, (byte) 0);
    return datagram;
  }
}
