package io.viaduct.snapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.viaduct.tunnel.control.DatagramIntake;
import java.util.ArrayList;
import java.util.List;

/// Datagrams of one control connection: hands them over as they were read together, and reads no
/// more while too many wait for their session. Called on the control thread.
final class ControlDatagrams extends ChannelInboundHandlerAdapter {
  private final ControlConnection connection;
  private final DatagramIntake intake = new DatagramIntake();
  private List<ByteBuf> batch = new ArrayList<>();
  private int bytes;

  ControlDatagrams(ControlConnection connection) {
    this.connection = connection;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf datagram = (ByteBuf) message;
    bytes += datagram.readableBytes();
    batch.add(datagram);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (batch.isEmpty()) {
      return;
    }
    List<ByteBuf> datagrams = batch;
    int handed = bytes;
    batch = new ArrayList<>();
    bytes = 0;
    if (intake.added(handed)) {
      context.channel().config().setAutoRead(false);
    }
    Runnable resume = () -> context.channel().config().setAutoRead(true);
    connection.onDatagrams(
        datagrams,
        () -> {
          if (intake.taken(handed)) {
            context.executor().execute(resume);
          }
        });
  }
}
