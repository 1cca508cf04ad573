package io.viaduct.stages;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.session.SpeedCheck;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// Measures a packet through both ends: lookup, record, compression, compound, seal, open, restore,
/// and for a superpacket segmentation and coalescing. The difference between the runs with and
/// without a cipher is the cipher's share.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class SessionStage {
  private static final int SEGMENT = 1380;
  private static final String TEXT =
      "The way of a packet is a list: find its flow, make a record of it, press the record together"
          + " with its neighbours, seal them, and on the other side all of that backwards. ";

  /// Packets that one operation offers.
  public enum Load {
    SUPERPACKET_64K,
    DATAGRAMS_64_OF_100,
    DATAGRAMS_8_OF_1400
  }

  @Param public Load load;

  @Param({"random", "text"})
  public String payload;

  @Param({"none", "fastest"})
  public String cipher;

  private SpeedCheck ends;
  private ByteBuf packet;
  private int bytes;
  private int gso;
  private int count;

  @Setup
  public void open() {
    Function<AeadAlgorithm, Aead> ciphers =
        cipher.equals("none") ? algorithm -> new NullAead() : WarmCiphers::fastest;
    ends =
        new SpeedCheck(
            load == Load.DATAGRAMS_64_OF_100 ? ServiceClass.LT_LD : ServiceClass.HT_HD, ciphers);
    byte[] made =
        switch (load) {
          case SUPERPACKET_64K ->
              PacketForge.tcp(
                  Endpoints.ipv4(5000, 7, 80), 1, PacketForge.ACK, payload(47 * SEGMENT));
          case DATAGRAMS_64_OF_100 -> PacketForge.udp(Endpoints.ipv4(5001, 7, 5060), payload(72));
          case DATAGRAMS_8_OF_1400 -> PacketForge.udp(Endpoints.ipv4(5002, 7, 4000), payload(1372));
        };
    PacketForge.checksum(made, 1);
    packet = SpeedCheck.buffer(made);
    bytes = made.length;
    gso = load == Load.SUPERPACKET_64K ? SEGMENT : 0;
    count =
        switch (load) {
          case SUPERPACKET_64K -> 1;
          case DATAGRAMS_64_OF_100 -> 64;
          case DATAGRAMS_8_OF_1400 -> 8;
        };
  }

  private byte[] payload(int length) {
    byte[] made = new byte[length];
    if (payload.equals("random")) {
      new SplittableRandom(3).nextBytes(made);
    } else {
      for (int i = 0; i < length; i++) {
        made[i] = (byte) TEXT.charAt(i % TEXT.length());
      }
    }
    return made;
  }

  @TearDown
  public void close() {
    ends.close();
  }

  @Benchmark
  public void throughBothEnds() {
    ends.batch(packet, bytes, gso, count);
  }
}
