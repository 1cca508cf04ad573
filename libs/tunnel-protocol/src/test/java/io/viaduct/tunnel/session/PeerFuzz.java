package io.viaduct.tunnel.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Plays a peer that holds the keys and writes anything: any tag is right. Input: steps of one
/// octet (bit 0 receiving end, 1 a PATH message, 2–3 class, 4 a gap in the sequence, 5 end of
/// batch, 6 half a second passes, 7 a FRAGMENT), two of length, the body. Rule: a verdict and no
/// exception. All restored packets are whole IP packets.
final class PeerFuzz {
  private static final int BODY_MAX = 9_000;

  private static LoopbackRig rig() {
    return new LoopbackRig(
        TunnelSettings.defaults(),
        AeadAlgorithm.AES_256_GCM,
        algorithm -> new NullAead(),
        PathListener.SILENT);
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    ByteBuffer steps = ByteBuffer.wrap(input);
    try (LoopbackRig rig = rig()) {
      long[] sequence = {1, 1};
      while (steps.remaining() > 3) {
        int step = steps.get();
        int length = Math.min(BODY_MAX, steps.getShort() & 0xFFFF);
        byte[] body = new byte[Math.min(steps.remaining(), length)];
        steps.get(body);
        int end = step & 1;
        sequence[end] += (step & 0x10) == 0 ? 1 : 3;
        TunnelSession session = end == 0 ? rig.snapt : rig.agent;
        rig.receive(session, datagram(step, sequence[end], body));
        if ((step & 0x20) != 0) {
          session.openBatchEnd(rig.nowNs);
        }
        if ((step & 0x40) != 0) {
          rig.nowNs += 500_000_000;
          rig.agent.onTick(rig.nowNs);
          rig.snapt.onTick(rig.nowNs);
        }
        rig.drain(rig.agent);
        rig.drain(rig.snapt);
        rig.up.clear();
        rig.down.clear();
        check(rig.atSnapt);
        check(rig.atAgent);
      }
    }
  }

  private static byte[] datagram(int step, long sequence, byte[] body) {
    if ((step & 0x80) != 0) {
      byte[] fragment = new byte[DatagramHeader.LENGTH + body.length];
      header(fragment, DatagramHeader.TYPE_FRAGMENT, step, sequence);
      System.arraycopy(body, 0, fragment, DatagramHeader.LENGTH, body.length);
      return fragment;
    }
    byte[] datagram = new byte[Sealer.OVERHEAD + body.length];
    header(datagram, step >>> 1 & 1, step, sequence);
    System.arraycopy(body, 0, datagram, DatagramHeader.LENGTH, body.length);
    return datagram;
  }

  private static void header(byte[] datagram, int type, int step, long sequence) {
    DatagramHeader.write(
        Unpooled.wrappedBuffer(datagram), 0, type, 0, ServiceClass.of(step >>> 2 & 3), 1, sequence);
  }

  private static void check(List<LoopbackRig.Restored> restored) {
    for (LoopbackRig.Restored packet : restored) {
      byte[] bytes = packet.packet();
      if (!new FlowKey()
          .parse(new IpPacket().set(Unpooled.wrappedBuffer(bytes), 0, bytes.length))) {
        throw new AssertionError("restored " + bytes.length + " bytes that are no IP packet");
      }
    }
    restored.clear();
  }

  /// Returns the datagrams of an honest agent: OPEN, then elided records of every kind, probes,
  /// text and noise.
  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    byte[] text = "the same words again and the same words again".repeat(6).getBytes();
    try (LoopbackRig rig = rig()) {
      ByteBuffer all = ByteBuffer.allocate(64 * 1024);
      for (int i = 0; i < 3; i++) {
        for (Endpoints to : new Endpoints[] {Endpoints.ipv4(1, 2, 3), Endpoints.ipv6(9, 9, 9)}) {
          rig.offer(rig.agent, PacketForge.udp(to, text));
          rig.offer(rig.agent, PacketForge.tcp(to, 1 + i * text.length, PacketForge.ACK, text));
          rig.offer(rig.agent, PacketForge.echo(to, 77, text));
          rig.offer(rig.snapt, PacketForge.udp(to.reversed(), text));
        }
        byte[] noise = new byte[6_000];
        new java.util.Random(i).nextBytes(noise);
        byte[] big = PacketForge.tcp(Endpoints.ipv4(1, 2, 3), 9_000, PacketForge.ACK, noise);
        rig.offer(rig.agent, PacketForge.checksum(big, 1), 1_300, true);
        rig.send(rig.agent);
        rig.send(rig.snapt);
        rig.probe();
        for (byte[] datagram : rig.up) {
          step(all, 0x20, datagram);
          seeds.add(step(ByteBuffer.allocate(64 * 1024), 0x60, datagram));
        }
        for (byte[] datagram : rig.down) {
          step(all, 0x21, datagram);
        }
        rig.deliver();
        rig.advance(10_000_000);
      }
      seeds.add(java.util.Arrays.copyOf(all.array(), all.position()));
    }
    return seeds;
  }

  private static byte[] step(ByteBuffer to, int step, byte[] datagram) {
    int type = datagram[0] >>> 4 & 3;
    int serviceClass = datagram[0] & 3;
    boolean fragment = type == DatagramHeader.TYPE_FRAGMENT;
    int bytes = datagram.length - (fragment ? DatagramHeader.LENGTH : Sealer.OVERHEAD);
    int kind = fragment ? 0x80 : type << 1;
    to.put((byte) (step | kind | serviceClass << 2)).putShort((short) bytes);
    to.put(datagram, DatagramHeader.LENGTH, bytes);
    return java.util.Arrays.copyOf(to.array(), to.position());
  }
}
