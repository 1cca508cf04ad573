package io.viaduct.sip.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.viaduct.sip.guard.Refusal;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Closes an accepted connection that brings no whole message in time, so that a partial request or
/// keep-alives alone keep no place. Leaves the pipeline after the first message.
final class FirstMessageDeadline extends ChannelInboundHandlerAdapter {
  /// The event that a [StreamFramer] fires after each message.
  enum Received {
    WHOLE_MESSAGE
  }

  private final Receiver receiver;
  private final Duration timeout;
  private @Nullable Future<?> deadline;

  FirstMessageDeadline(Receiver receiver, Duration timeout) {
    this.receiver = receiver;
    this.timeout = timeout;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    Runnable end =
        () -> {
          receiver.onRefused(Refusal.FIRST_MESSAGE_LATE);
          context.close();
        };
    deadline = context.executor().schedule(end, timeout.toMillis(), TimeUnit.MILLISECONDS);
    context.fireChannelActive();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == Received.WHOLE_MESSAGE) {
      cancel();
      context.pipeline().remove(this);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    cancel();
    context.fireChannelInactive();
  }

  private void cancel() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }
}
