package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.function.Supplier;

/// Lets two sessions exchange UDP packets by the public address that they share (hairpinning, RFC
/// 4787 REQ-9). The kernel alone would take such a packet for one to the host itself.
///
/// A packet passes the kernel twice, as if it left to the Internet and came back. So the kernel's
/// own table decides whether the other session has sent to this one, and gives both their external
/// ports. `S` is the shared address, `X` its alias in the pool:
///
///     session a:p → S:q     [#depart]   a:p → X:q    masqueraded as  S:p' → X:q
///     from the TUN device   [#turn]     X:p' → S:q   forwarded as    X:p' → b:q', or dropped
///     to session b          [#arrive]   S:p' → b:q'
///
/// Owned by one event loop.
public final class Hairpin {
  /// Ports below this one are never those of a device: masquerading keeps the half that a port is
  /// in.
  private static final int PORT_MIN = 1024;

  private final Supplier<SharedAddresses> shared;
  private final IpHeader header = new IpHeader();

  /// @param shared the present addresses; read for each packet
  public Hairpin(Supplier<SharedAddresses> shared) {
    this.shared = shared;
  }

  /// Returns true if a packet from a device, after its translation, is to be turned back: UDP to a
  /// shared address, and to a port that a device may have. Later fragments have no port.
  public boolean isFor(IpPacket of) {
    return wrap(of)
        && header.protocol() == IpFields.UDP
        && numberOf(shared.get(), of.buffer(), header.destination()) >= 0
        && (!header.hasTransport() || port(of.buffer()) >= PORT_MIN);
  }

  private int port(ByteBuf packet) {
    return header.transportLength() < IpFields.UDP_HEADER
        ? 0
        : packet.getUnsignedShort(header.transport() + IpFields.DESTINATION_PORT);
  }

  /// Replaces the shared address that a packet of [#isFor] is addressed to by its alias.
  public void depart(IpPacket of) {
    SharedAddresses now = shared.get();
    if (wrap(of)) {
      toAlias(now, of, header.destination(), numberOf(now, of.buffer(), header.destination()));
    }
  }

  /// Turns a packet back that the kernel has masqueraded towards an alias.
  ///
  /// @return false if it is none: another destination, or not from the shared address itself. It is
  ///   then unchanged.
  public boolean turn(IpPacket of) {
    SharedAddresses now = shared.get();
    if (!wrap(of) || header.protocol() != IpFields.UDP) {
      return false;
    }
    int number = numberOfAlias(now, of.buffer(), header.destination());
    if (number < 0 || numberOf(now, of.buffer(), header.source()) != number) {
      return false;
    }
    toAlias(now, of, header.source(), number);
    toShared(now, of, header.destination(), number);
    return true;
  }

  /// Replaces the alias that a packet to a session comes from by the shared address. Leaves all
  /// other packets alone.
  public void arrive(IpPacket of) {
    SharedAddresses now = shared.get();
    int source = of.start() + (of.isIpv4() ? IpFields.IPV4_SOURCE : IpFields.IPV6_SOURCE);
    int number = numberOfAlias(now, of.isIpv4(), of.buffer(), source);
    if (number >= 0 && wrap(of)) {
      toShared(now, of, source, number);
    }
  }

  private boolean wrap(IpPacket of) {
    return header.wrap(of.buffer(), of.start(), of.length(), false) && !header.isRouted();
  }

  private int numberOf(SharedAddresses now, ByteBuf packet, int at) {
    return header.isIpv6()
        ? now.numberOf(true, packet.getLong(at), packet.getLong(at + Long.BYTES))
        : now.numberOf(false, 0, packet.getUnsignedInt(at));
  }

  private int numberOfAlias(SharedAddresses now, ByteBuf packet, int at) {
    return numberOfAlias(now, !header.isIpv6(), packet, at);
  }

  private static int numberOfAlias(SharedAddresses now, boolean isIpv4, ByteBuf packet, int at) {
    return isIpv4
        ? now.numberOfAlias(false, 0, packet.getUnsignedInt(at))
        : now.numberOfAlias(true, packet.getLong(at), packet.getLong(at + Long.BYTES));
  }

  private void toAlias(SharedAddresses now, IpPacket of, int at, int number) {
    boolean ipv6 = header.isIpv6();
    if (number >= 0) {
      rewrite(of, at, now.aliasHigh(ipv6), now.aliasLow(ipv6, number));
    }
  }

  private void toShared(SharedAddresses now, IpPacket of, int at, int number) {
    rewrite(of, at, now.high(number), now.low(number));
  }

  private void rewrite(IpPacket of, int at, long high, long low) {
    AddressRewrite.write(of.buffer(), header, at, high, low, of.isChecksumPartial());
  }
}
