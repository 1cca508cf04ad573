package io.viaduct.tunnel.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Sends packets of an application, or of a host on the Internet, into one end and out of the
/// other. Input: one octet (bit 0 direction, 1 checksum left to offload, 2–3 class), two of segment
/// size, the packet. Rule: no exception. If all packets arrive, they equal the packets that a
/// network would have carried, both for the first packet of a flow and for later ones.
final class InnerPacketFuzz {
  private static final int ROUNDS = 3;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 4) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(input);
    int flags = bytes.get();
    int segment = bytes.getShort() & 0xFFFF;
    byte[] packet = Arrays.copyOfRange(input, 3, input.length);
    FlowKey key = new FlowKey();
    boolean valid = key.parse(new IpPacket().set(Unpooled.wrappedBuffer(packet), 0, packet.length));
    boolean transport =
        valid
            && !key.isPortless()
            && (key.protocol() == IpFields.TCP || key.protocol() == IpFields.UDP);
    // The kernel leaves only its own packets to offload.
    boolean partial = transport && (flags & 2) != 0;
    int gso = partial ? segment : 0;
    if (partial) {
      PacketForge.checksum(packet, 1);
    }
    try (LoopbackRig rig = new LoopbackRig()) {
      rig.serviceClass = ServiceClass.of(flags >>> 2 & 3);
      boolean down = (flags & 1) != 0;
      for (int round = 0; round < ROUNDS; round++) {
        rig.offer(down ? rig.snapt : rig.agent, packet, gso, partial);
        rig.probe();
        rig.send(rig.agent);
        rig.send(rig.snapt);
        rig.deliver();
        rig.advance(1_100_000_000);
        List<LoopbackRig.Restored> restored = down ? rig.atAgent : rig.atSnapt;
        if (!restored.isEmpty()) {
          compare(packet, gso, partial, restored);
        }
        restored.clear();
      }
    }
  }

  private static void compare(
      byte[] packet, int gso, boolean partial, List<LoopbackRig.Restored> restored) {
    List<byte[]> sent = Segments.of(packet, gso, partial);
    List<byte[]> came = new ArrayList<>();
    for (LoopbackRig.Restored r : restored) {
      came.addAll(Segments.of(r.packet(), r.gsoSize(), r.partial()));
    }
    boolean same = sent.size() == came.size();
    for (int i = 0; same && i < sent.size(); i++) {
      same = Arrays.equals(sent.get(i), came.get(i));
    }
    if (!same) {
      throw new AssertionError(sent.size() + " packets were sent, others restored: " + came.size());
    }
  }

  private static byte[] input(int flags, int segment, byte[] packet) {
    return ByteBuffer.allocate(3 + packet.length)
        .put((byte) flags)
        .putShort((short) segment)
        .put(packet)
        .array();
  }

  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (Endpoints to : new Endpoints[] {Endpoints.ipv4(1, 2, 3), Endpoints.ipv6(9, 9, 9)}) {
      byte[] tcp = PacketForge.tcp(to, 1, PacketForge.ACK | PacketForge.PSH, new byte[300]);
      seeds.add(input(0, 0, PacketForge.udp(to, "hello".getBytes())));
      seeds.add(input(0, 0, PacketForge.echo(to, 77, new byte[40])));
      seeds.add(input(4, 0, tcp));
      seeds.add(input(2, 100, tcp));
      seeds.add(input(2, 64, PacketForge.udp(to, new byte[200])));
    }
    byte[] fragment = PacketForge.udp(Endpoints.ipv4(1, 2, 3), new byte[64]);
    fragment[6] = 0x20;
    PacketForge.ipChecksum(fragment);
    seeds.add(input(0, 0, fragment));
    return seeds;
  }
}
