package io.viaduct.snapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.viaduct.tunnel.control.DatagramIntake;

/// Passes datagrams from one control connection to the event loop of its session. Called on the
/// control thread.
final class ControlDatagrams extends ChannelInboundHandlerAdapter {
  private final DatagramIntake intake;

  ControlDatagrams(Channel of, ControlConnection connection) {
    intake = new DatagramIntake(of.eventLoop(), of.config()::setAutoRead, connection::onDatagrams);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    intake.read((ByteBuf) message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    intake.readComplete();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    intake.close();
  }
}
