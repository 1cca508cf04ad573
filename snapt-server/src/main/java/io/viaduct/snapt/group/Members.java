package io.viaduct.snapt.group;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslContext;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.usage.v1.HolderAnswer;
import io.viaduct.usage.v1.HolderRequest;
import io.viaduct.usage.v1.OutcomeAnswer;
import io.viaduct.usage.v1.OutcomeRequest;
import io.viaduct.usage.v1.ReturnAnswer;
import io.viaduct.usage.v1.ReturnRequest;
import io.viaduct.usage.v1.SnaptGroupGrpc;
import io.viaduct.usage.v1.TakeOverAnswer;
import io.viaduct.usage.v1.TakeOverRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// The channels to the other members. gRPC connects at the first call, or before. Any thread may
/// call the methods; answers come on threads of gRPC.
final class Members implements AutoCloseable {
  private static final int MESSAGE_BYTES_MAX = 1 << 16; // of an answer
  // Longer than a member waits for the device.
  private static final long TAKE_OVER_MS = 8_000;
  private static final long OUTCOME_MS = 2_000;
  private static final long RETURN_MS = 5_000;
  private static final long HOLDER_MS = 2_000;

  private final String group;
  private final Map<String, ManagedChannel> channels = new LinkedHashMap<>();

  /// @param tls with this SNAPT's certificate
  Members(GroupSettings settings, SslContext tls) {
    group = settings.name();
    for (GroupSettings.Member each : settings.members()) {
      channels.put(
          each.id(),
          NettyChannelBuilder.forAddress(each.host(), each.port())
              .sslContext(tls)
              .maxInboundMessageSize(MESSAGE_BYTES_MAX)
              .build());
    }
  }

  private SnaptGroupGrpc.SnaptGroupStub stub(String member, long deadlineMs) {
    ManagedChannel channel = Objects.requireNonNull(channels.get(member), member);
    channel.resetConnectBackoff();
    return SnaptGroupGrpc.newStub(channel).withDeadlineAfter(deadlineMs, TimeUnit.MILLISECONDS);
  }

  /// Connects to all members, so that the first hand-over does not wait for it.
  void connect() {
    channels.values().forEach(each -> each.getState(true));
  }

  void takeOver(String member, TakeOverRequest request, StreamObserver<TakeOverAnswer> answers) {
    stub(member, TAKE_OVER_MS).takeOver(request, answers);
  }

  void outcome(Intent of, StreamObserver<OutcomeAnswer> answer) {
    stub(of.to(), OUTCOME_MS)
        .outcome(
            OutcomeRequest.newBuilder()
                .setGroup(group)
                .setNumber(of.number())
                .setAddress(TakeOverMessage.of(of.address()))
                .build(),
            answer);
  }

  void give(String member, PublicAddress back, StreamObserver<ReturnAnswer> answer) {
    stub(member, RETURN_MS)
        .return_(
            ReturnRequest.newBuilder().setGroup(group).setAddress(TakeOverMessage.of(back)).build(),
            answer);
  }

  void holder(String member, HolderRequest request, StreamObserver<HolderAnswer> answer) {
    stub(member, HOLDER_MS).holder(request, answer);
  }

  @Override
  public void close() {
    channels.values().forEach(ManagedChannel::shutdownNow);
  }
}
