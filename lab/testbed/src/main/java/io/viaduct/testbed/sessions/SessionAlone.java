package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Both ends of one session in this process, without sockets. Only the time of the answering end
/// counts: opening, answering and sealing.
final class SessionAlone implements DatagramSink {
  private static final InetSocketAddress DEVICE = new InetSocketAddress("192.0.2.10", 40_000);
  private static final InnerPacketSink NOWHERE = (flow, packet) -> {};

  private final int together;
  private final LongSupplier nanoTime;
  private final LoopMemory memory = new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  private final TunnelSession device;
  private final TunnelSession snapt;
  private final ByteBuf probes = ByteBufAllocator.DEFAULT.directBuffer(1 << 16);
  private boolean answering;
  private int segmentSize;
  private long answers;

  private SessionAlone(int together, LongSupplier nanoTime) {
    this.together = together;
    this.nanoTime = nanoTime;
    device = session(TunnelRole.AGENT);
    snapt = session(TunnelRole.SNAPT);
  }

  private TunnelSession session(TunnelRole role) {
    var terms =
        new TunnelTerms(
            AeadAlgorithm.AES_256_GCM,
            SessionSecret.of(new byte[32]),
            1,
            new TunnelLimits(1500, 0));
    return new TunnelSession(
        role,
        terms,
        TunnelSettings.defaults(),
        memory,
        FlowListener.SILENT,
        PathListener.SILENT,
        nanoTime.getAsLong());
  }

  static ProbesLine measure(int together, int rounds, double seconds, LongSupplier nanoTime) {
    var alone = new SessionAlone(together, nanoTime);
    var line = new ProbesLine("the session alone, without sockets", false);
    alone.round(seconds); // lets the JVM compile
    for (int i = 0; i < rounds; i++) {
      line.add(alone.round(seconds));
    }
    alone.close();
    return line;
  }

  private ProbesLine.Round round(double seconds) {
    long beginNs = nanoTime.getAsLong();
    long busyNs = 0;
    long sent = 0;
    answers = 0;
    long nowNs = beginNs;
    while (nowNs - beginNs < seconds * 1e9) {
      probes.clear();
      answering = false;
      for (int i = 0; i < together; i++) {
        device.probe(0, Carrier.UDP, nowNs);
      }
      device.drain(this, nowNs);
      answering = true;
      long startNs = nanoTime.getAsLong();
      for (int at = 0; at < probes.writerIndex(); at += segmentSize) {
        snapt.open(probes, at, segmentSize, DEVICE, NOWHERE, startNs);
        sent++;
      }
      snapt.openBatchEnd(startNs);
      snapt.drain(this, startNs);
      nowNs = nanoTime.getAsLong();
      busyNs += nowNs - startNs;
    }
    var answered = new ProbeFlood.Answered(sent, answers, (nowNs - beginNs) / 1e9);
    return new ProbesLine.Round(answered, busyNs / 1e9);
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void send(ByteBuf burst, int size, @Nullable InetSocketAddress to, long nowNs) {
    if (answering) {
      answers += (burst.readableBytes() + size - 1) / size;
    } else {
      segmentSize = size;
      probes.writeBytes(burst);
    }
    burst.release();
  }

  private void close() {
    device.close();
    snapt.close();
    probes.release();
    memory.close();
  }
}
