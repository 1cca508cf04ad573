package io.viaduct.billing.provisioning;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.billing.RunningBilling;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.BindDeviceRequest;
import io.viaduct.usage.v1.BindDeviceResponse;
import io.viaduct.usage.v1.DescribeAccountRequest;
import io.viaduct.usage.v1.DeviceSeenRequest;
import io.viaduct.usage.v1.ProvisioningGrpc;
import io.viaduct.usage.v1.Subscriber;
import io.viaduct.usage.v1.SubscriberEvent;
import io.viaduct.usage.v1.WatchRequest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Watches subscribers as a bridge does, over a real connection with a certificate.
final class WatchedUsers implements AutoCloseable {
  private final ManagedChannel channel;
  private final Map<String, Subscriber> known = new ConcurrentHashMap<>();
  volatile boolean complete;
  volatile Throwable ended;

  WatchedUsers(RunningBilling billing, String name, String domain) throws Exception {
    channel = billing.channel(name);
    ProvisioningGrpc.newStub(channel)
        .watch(
            WatchRequest.newBuilder().setDomain(domain).build(),
            new StreamObserver<>() {
              @Override
              public void onNext(SubscriberEvent event) {
                switch (event.getEventCase()) {
                  case SUBSCRIBER ->
                      known.put(event.getSubscriber().getAccount(), event.getSubscriber());
                  case REMOVED -> known.remove(event.getRemoved());
                  case COMPLETE -> complete = true;
                  case EVENT_NOT_SET -> throw new AssertionError("an event of nothing");
                }
              }

              @Override
              public void onError(Throwable t) {
                ended = t;
              }

              @Override
              public void onCompleted() {
                ended = new AssertionError("completed");
              }
            });
  }

  Optional<Subscriber> user(String id) {
    return Optional.ofNullable(known.get(id));
  }

  BindDeviceResponse bind(String account, byte[] key) {
    return ProvisioningGrpc.newBlockingStub(channel)
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .bindDevice(
            BindDeviceRequest.newBuilder()
                .setAccount(account)
                .setDeviceKey(ByteString.copyFrom(key))
                .build());
  }

  AccountDescription described(String account) {
    return described(account, 0);
  }

  AccountDescription described(String account, int reports) {
    return ProvisioningGrpc.newBlockingStub(channel)
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .describeAccount(
            DescribeAccountRequest.newBuilder().setAccount(account).setReports(reports).build());
  }

  void seen(String account, byte[] key) {
    var unused =
        ProvisioningGrpc.newBlockingStub(channel)
            .withDeadlineAfter(20, TimeUnit.SECONDS)
            .deviceSeen(
                DeviceSeenRequest.newBuilder()
                    .setAccount(account)
                    .setDeviceKey(ByteString.copyFrom(key))
                    .build());
  }

  @Override
  public void close() throws Exception {
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
  }
}
