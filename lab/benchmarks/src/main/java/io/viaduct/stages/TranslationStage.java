package io.viaduct.stages;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.session.SpeedCheck;
import io.viaduct.tunnel.wire.IpPacket;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// Measures address translation in both directions, so that each operation finds the packet
/// unchanged.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class TranslationStage {
  private static final int IP = 12;
  private static final int SLOT = 5;

  /// IP version.
  @Param({"4", "6"})
  public int version;

  private AddressTranslation translation;
  private ByteBuf packet;
  private final IpPacket carrier = new IpPacket();
  private int source;
  private int destination;
  private int addressBytes;
  private byte[] addresses;

  @Setup
  public void makeSession() {
    Endpoints way = version == 4 ? Endpoints.ipv4(5000, 7, 443) : Endpoints.ipv6(5000, 7, 443);
    byte[] inner4 = {10, 77, 0, 2};
    byte[] inner6 = new byte[16];
    inner6[0] = (byte) 0xFD;
    inner6[15] = 2;
    AddressPool pool = new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56::/64"));
    translation = new AddressTranslation(pool, SLOT, InnerAddresses.of(inner4, inner6));
    byte[] forgedBytes = PacketForge.udp(way, new byte[100]);
    packet = SpeedCheck.buffer(forgedBytes);
    carrier.set(packet, IP, forgedBytes.length);
    addressBytes = version == 4 ? 4 : 16;
    source = IP + (version == 4 ? 12 : 8);
    destination = source + addressBytes;
    addresses = new byte[addressBytes];
  }

  @Benchmark
  public Translated outboundAndInbound() {
    require(translation.outbound(carrier));
    swap();
    Translated back = require(translation.inbound(carrier));
    swap();
    return back;
  }

  // Turns the packet into its answer.
  private void swap() {
    packet.getBytes(source, addresses);
    for (int i = 0; i < addressBytes; i++) {
      packet.setByte(source + i, packet.getByte(destination + i));
    }
    packet.setBytes(destination, addresses);
  }

  private static Translated require(Translated verdict) {
    if (verdict != Translated.FORWARDED) {
      throw new IllegalStateException("the packet must be forwarded, got " + verdict);
    }
    return verdict;
  }
}
