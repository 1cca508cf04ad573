package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Sends English text of three hosts in both directions and a flow of random bytes beside it. The
/// oracle is a map of the sent packets.
final class TextTraffic {
  private static final byte[] TEXT = SavingsCheck.English.text(1 << 20, 5);
  private static final int FLOWS = 8;

  private final SplittableRandom random;
  private final Map<Integer, byte[]> sent = new HashMap<>();
  private int counter;
  long segments;
  long payloadBytes;
  long delivered;

  TextTraffic(SplittableRandom random) {
    this.random = random;
  }

  /// Returns the number of packets made, including those that a full queue has refused.
  int offered() {
    return counter;
  }

  int missing() {
    return sent.size();
  }

  void offer(LoopbackRig rig) {
    int flow = random.nextInt(FLOWS);
    rig.serviceClass = ServiceClass.of(flow & 3);
    byte[] payload = payload(flow == FLOWS - 1);
    boolean fromSnapt = random.nextInt(3) == 0;
    Endpoints to = Endpoints.ipv4(1000 + flow, 1 + flow % 3, 9);
    byte[] packet = PacketForge.udp(fromSnapt ? to.reversed() : to, payload);
    if (rig.offer(fromSnapt ? rig.snapt : rig.agent, packet) == Verdict.QUEUED) {
      sent.put(counter, PacketForge.canonical(packet, false));
      segments++;
      payloadBytes += payload.length;
    }
  }

  private byte[] payload(boolean dense) {
    boolean small = random.nextInt(4) == 0;
    byte[] payload = new byte[small ? random.nextInt(8, 90) : random.nextInt(90, 1300)];
    if (dense) {
      random.nextBytes(payload);
    } else {
      int at = random.nextInt(TEXT.length - payload.length);
      System.arraycopy(TEXT, at, payload, 0, payload.length);
    }
    BigEndian.putInt(payload, 0, ++counter);
    return payload;
  }

  /// Checks that each packet equals a sent one, and that it has not come out before.
  void check(List<LoopbackRig.Restored> restored) {
    for (LoopbackRig.Restored packet : restored) {
      for (byte[] bytes : Segments.of(packet.packet(), packet.gsoSize(), packet.partial())) {
        int number = BigEndian.getInt(bytes, PacketForge.payloadAt(bytes));
        assertThat(bytes).as("packet %d", number).isEqualTo(sent.remove(number));
        delivered++;
      }
    }
    restored.clear();
  }

  /// Forgets the packets that have not come out: none may do so any more.
  void forgetSent() {
    sent.clear();
  }
}
