package io.viaduct.cnapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.viaduct.tunnel.control.DatagramIntake;

/// Passes the sealed datagrams of one control connection to the data path. Last in the pipeline:
/// messages are taken before.
public final class DatagramFrames extends ChannelInboundHandlerAdapter {
  private final DatagramIntake intake;

  /// @param receiver takes the datagrams that were read together
  public DatagramFrames(Channel of, DatagramIntake.Receiver receiver) {
    intake = new DatagramIntake(of.eventLoop(), of.config()::setAutoRead, receiver);
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
