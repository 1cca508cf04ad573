package io.viaduct.bridge.provisioning;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.token.DeviceLimit;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.usage.v1.BindDeviceRequest;
import io.viaduct.usage.v1.BindDeviceResponse;
import io.viaduct.usage.v1.ProvisioningGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks billing whether a device may get tokens, if its key is not in the directory yet.
public final class BillingDevices implements DeviceLimit {
  private static final Logger LOG = LoggerFactory.getLogger(BillingDevices.class);

  /// Longest wait for billing. A user agent retransmits its SUBSCRIBE over UDP meanwhile, and gives
  /// up after 32 s.
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  private final ProvisioningGrpc.ProvisioningBlockingStub billing;
  private final Subscribers subscribers;
  private final DeviceSightings sightings;
  private final MeterRegistry registry;

  public BillingDevices(
      ProvisioningGrpc.ProvisioningBlockingStub billing,
      Subscribers subscribers,
      DeviceSightings sightings,
      MeterRegistry registry) {
    this.billing = billing;
    this.subscribers = subscribers;
    this.sightings = sightings;
    this.registry = registry;
    for (String verdict : new String[] {"bound", "too_many", "not_entitled", "unknown"}) {
      counter(verdict); // shown as 0 from the start
    }
  }

  private Counter counter(String verdict) {
    return Counter.builder("viaduct_bridge_device_bindings")
        .description("New device keys that billing was asked about, by its answer")
        .tag("verdict", verdict)
        .register(registry);
  }

  @Override
  public Verdict bind(String account, byte[] deviceKey) {
    if (subscribers.hasDevice(account, deviceKey)) {
      sightings.tell(account, deviceKey);
      return new Verdict.Bound();
    }
    Verdict verdict = ask(account, deviceKey);
    switch (verdict) {
      case Verdict.Bound _ -> {
        counter("bound").increment();
        subscribers.bound(account, deviceKey);
      }
      case Verdict.TooMany _ -> counter("too_many").increment();
      case Verdict.NotEntitled _ -> counter("not_entitled").increment();
      case Verdict.Unknown _ -> counter("unknown").increment();
    }
    return verdict;
  }

  private Verdict ask(String account, byte[] deviceKey) {
    try {
      BindDeviceResponse answer =
          billing
              .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
              .bindDevice(
                  BindDeviceRequest.newBuilder()
                      .setAccount(account)
                      .setDeviceKey(ByteString.copyFrom(deviceKey))
                      .build());
      return switch (answer.getVerdict()) {
        case BOUND -> new Verdict.Bound();
        case TOO_MANY_DEVICES -> new Verdict.TooMany(answer.getDevicesMax());
        case ACCOUNT_UNKNOWN, ACCOUNT_SUSPENDED -> new Verdict.NotEntitled();
        case BIND_DEVICE_VERDICT_UNSPECIFIED, UNRECOGNIZED -> new Verdict.Unknown();
      };
    } catch (StatusRuntimeException e) {
      LOG.warn(
          "a new device gets no token, because billing does not answer: {}",
          HandshakeFailure.reason(e));
      return new Verdict.Unknown();
    }
  }
}
