package io.viaduct.cnapt.mobility;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds the local address that the kernel would use for a marked packet to the SNAPT. Connects a
/// UDP socket, which sends no packet, and reads its local address.
final class LocalAddress {
  // SOL_SOCKET and SO_MARK of asm-generic/socket.h.
  private static final IntegerUnixChannelOption SO_MARK =
      new IntegerUnixChannelOption("SO_MARK", 1, 36);

  private LocalAddress() {}

  /// @param then called on the loop; the argument is null if there is no route
  static void towards(
      InetSocketAddress peer, int mark, EventLoop loop, Consumer<@Nullable InetAddress> then) {
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(EpollDatagramChannel.class)
            .option(SO_MARK, mark)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(peer);
    connecting.addListener(done -> {
      InetAddress found =
          done.isSuccess() && connecting.channel().localAddress() instanceof InetSocketAddress local
              ? local.getAddress()
              : null;
      connecting.channel().close();
      then.accept(found);
    });
  }
}
