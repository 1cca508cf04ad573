package io.viaduct.cnapt.control;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.viaduct.cnapt.links.UsableLink;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The way of a control connection: the link that it is bound to, and the SNAPT's address.
///
/// The kernel would send a connection by the route that is best at each moment, with the source
/// address of the link that was best at its beginning. So a connection that is not bound breaks
/// when another link comes.
///
/// @param link null if the kernel chooses it
public record ControlWay(@Nullable UsableLink link, InetAddress address) {
  // SOL_SOCKET and SO_MARK of asm-generic/socket.h.
  private static final IntegerUnixChannelOption SO_MARK =
      new IntegerUnixChannelOption("SO_MARK", 1, 36);

  // SO_BINDTODEVICE of asm-generic/socket.h; IFNAMSIZ bytes, filled with zeros.
  private static final int DEVICE_BYTES = 16;
  private static final RawUnixChannelOption SO_BINDTODEVICE =
      new RawUnixChannelOption("SO_BINDTODEVICE", 1, 25, DEVICE_BYTES);

  /// Returns the ways to a SNAPT in the order in which they are tried, at least one.
  ///
  /// @param links the preferred one first
  /// @param found addresses of the SNAPT, the preferred one first; at least one
  static List<ControlWay> of(List<UsableLink> links, List<InetAddress> found) {
    List<ControlWay> ways = new ArrayList<>();
    for (UsableLink link : links) {
      for (InetAddress each : found) {
        if (each instanceof Inet4Address ? link.hasIpv4() : link.hasIpv6()) {
          ways.add(new ControlWay(link, each));
        }
      }
    }
    if (ways.isEmpty()) {
      found.forEach(each -> ways.add(new ControlWay(null, each)));
    }
    return ways;
  }

  /// Lets the connections of a bootstrap take this way.
  ///
  /// @param mark SO_MARK; 0 means none
  void bind(Bootstrap bootstrap, int mark) {
    if (mark != 0) {
      bootstrap.option(SO_MARK, mark);
    }
    if (link != null) {
      bootstrap.option(SO_BINDTODEVICE, device(link));
    }
  }

  /// Binds an open connection to a link.
  static void bind(Channel open, UsableLink to) {
    open.config().setOption(SO_BINDTODEVICE, device(to));
  }

  private static ByteBuffer device(UsableLink link) {
    ByteBuffer name = ByteBuffer.allocateDirect(DEVICE_BYTES);
    name.put(link.name().getBytes(StandardCharsets.UTF_8)).clear();
    return name;
  }

  /// Returns the link among these by which a connection with this local address goes on; null if
  /// none has the address.
  ///
  /// @param bound the link that the connection is bound to, null for any
  static @Nullable UsableLink holding(
      List<UsableLink> links, InetAddress own, @Nullable UsableLink bound) {
    for (UsableLink each : links) {
      boolean isBound =
          bound == null || each.index() == bound.index() && each.name().equals(bound.name());
      if (isBound && each.sources().contains(own)) {
        return each;
      }
    }
    return null;
  }
}
