package io.viaduct.billing.provisioning;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.database.Notifications;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.BindDeviceRequest;
import io.viaduct.usage.v1.BindDeviceResponse;
import io.viaduct.usage.v1.BindDeviceVerdict;
import io.viaduct.usage.v1.DescribeAccountRequest;
import io.viaduct.usage.v1.DeviceSeenRequest;
import io.viaduct.usage.v1.DeviceSeenResponse;
import io.viaduct.usage.v1.ProvisioningGrpc;
import io.viaduct.usage.v1.SubscriberEvent;
import io.viaduct.usage.v1.WatchRequest;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Sends subscribers to the bridges and stores their devices (ADR 0025). The endpoint has already
/// checked the caller's certificate.
public final class ProvisioningService extends ProvisioningGrpc.ProvisioningImplBase
    implements Notifications.Listener, AutoCloseable {
  /// Most bridges that watch at the same time. An operator has only a few.
  private static final int WATCHES_MAX = 64;

  /// The reasons for refusing a call.
  enum Refusal {
    /// The bridge's domain differs from the domain of the credentials.
    WRONG_DOMAIN,
    /// Too many bridges watch already.
    TOO_MANY_WATCHES,
    /// A device key does not have 32 bytes.
    MALFORMED_DEVICE_KEY,
    /// The database did not answer.
    DATABASE_AWAY,
    /// Billing is stopping.
    STOPPING
  }

  private final String domain;
  private final Subscribers subscribers;
  private final Devices devices;
  private final AccountFacts facts;
  private final InstantSource clock;
  private final Set<DirectoryWatch<SubscriberEvent>> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;
  private final LabelledCounters<Refusal> refusals;
  private final LabelledCounters<BindDeviceVerdict> bindings;

  public ProvisioningService(
      JdbcClient jdbc,
      SipCredentials credentials,
      Cards cards,
      Devices devices,
      AccountFacts facts,
      MicroDenarii low,
      InstantSource clock,
      MeterRegistry registry) {
    this.domain = credentials.realm();
    this.subscribers = new Subscribers(jdbc, credentials, cards, low);
    this.devices = devices;
    this.facts = facts;
    this.clock = clock;
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_provisioning_refused",
            "Refused provisioning calls of bridges, by reason",
            "reason",
            Refusal.class);
    bindings =
        LabelledCounters.register(
            registry,
            "viaduct_device_bindings",
            "Requests of bridges to bind a device, by verdict",
            "verdict",
            BindDeviceVerdict.class,
            EnumSet.complementOf(
                EnumSet.of(
                    BindDeviceVerdict.UNRECOGNIZED,
                    BindDeviceVerdict.BIND_DEVICE_VERDICT_UNSPECIFIED)));
    Gauge.builder("viaduct_provisioning_watches", watches, Set::size)
        .description("Bridges that watch subscribers now")
        .register(registry);
  }

  @Override
  public void watch(WatchRequest request, StreamObserver<SubscriberEvent> events) {
    if (!request.getDomain().equals(domain)) {
      refuse(
          events,
          Refusal.WRONG_DOMAIN,
          Status.FAILED_PRECONDITION.withDescription(
              "billing's sip-domain is '%s', the bridge's domain is '%s': make them equal"
                  .formatted(domain, request.getDomain())));
      return;
    }
    if (isClosed) {
      refuse(
          events,
          Refusal.STOPPING,
          Status.UNAVAILABLE.withDescription("billing is stopping: call again"));
      return;
    }
    if (watches.size() >= WATCHES_MAX) {
      refuse(
          events,
          Refusal.TOO_MANY_WATCHES,
          Status.RESOURCE_EXHAUSTED.withDescription(
              "at most " + WATCHES_MAX + " bridges may watch subscribers"));
      return;
    }
    DirectoryWatch<SubscriberEvent> watch =
        new DirectoryWatch<>(subscribers, (ServerCallStreamObserver<SubscriberEvent>) events);
    watches.add(watch); // before it reads, so that it misses no change
    watch.start(() -> watches.remove(watch));
  }

  @Override
  public void bindDevice(BindDeviceRequest request, StreamObserver<BindDeviceResponse> answer) {
    byte[] key = request.getDeviceKey().toByteArray();
    if (key.length != Devices.KEY_BYTES) {
      refuse(
          answer,
          Refusal.MALFORMED_DEVICE_KEY,
          Status.INVALID_ARGUMENT.withDescription(
              "device_key must have %d bytes, got %d".formatted(Devices.KEY_BYTES, key.length)));
      return;
    }
    answer(
        answer,
        () -> {
          BindDeviceVerdict verdict = devices.bind(request.getAccount(), key, clock.instant());
          bindings.increment(verdict);
          return BindDeviceResponse.newBuilder()
              .setVerdict(verdict)
              .setDevicesMax(devices.max())
              .build();
        });
  }

  @Override
  public void deviceSeen(DeviceSeenRequest request, StreamObserver<DeviceSeenResponse> answer) {
    answer(
        answer,
        () -> {
          devices.seen(request.getAccount(), request.getDeviceKey().toByteArray(), clock.instant());
          return DeviceSeenResponse.getDefaultInstance();
        });
  }

  @Override
  public void describeAccount(
      DescribeAccountRequest request, StreamObserver<AccountDescription> answer) {
    answer(answer, () -> facts.of(request.getAccount(), request.getReports(), clock.instant()));
  }

  private <T> void answer(StreamObserver<T> call, Supplier<T> work) {
    DatabaseAnswer.give(
        call, "provisioning", work, status -> refuse(call, Refusal.DATABASE_AWAY, status));
  }

  private void refuse(StreamObserver<?> call, Refusal why, Status status) {
    refusals.increment(why);
    call.onError(status.asRuntimeException());
  }

  @Override
  public String channel() {
    return "subscriber";
  }

  @Override
  public void changed(String account) {
    watches.forEach(watch -> watch.changed(account));
  }

  /// Ends the streams. The bridges keep their subscribers, call again, and then get all of them.
  @Override
  public void interrupted() {
    watches.forEach(DirectoryWatch::end);
  }

  /// Ends the streams and refuses new ones.
  @Override
  public void close() {
    isClosed = true;
    interrupted();
  }
}
