package io.viaduct.bridge.provisioning;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.DeviceSeenRequest;
import io.viaduct.usage.v1.DeviceSeenResponse;
import io.viaduct.usage.v1.ProvisioningGrpc;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells billing when a known device asks for a token, so that users see when each device was there
/// last. Nobody waits for it, and a sighting that is lost is told with the next one.
final class DeviceSightings {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceSightings.class);

  /// A device asks for a token about once an hour, and again at each start.
  static final Duration PAUSE = Duration.ofMinutes(10);

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /// Devices that are remembered; of those that are forgotten a sighting is told too early.
  private static final int DEVICES_MAX = 10_000;

  private record Device(String account, ByteString key) {}

  private final ProvisioningGrpc.ProvisioningFutureStub billing;
  private final InstantSource clock;
  private final Map<Device, Instant> told =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Device, Instant> eldest) {
          return size() > DEVICES_MAX;
        }
      };

  DeviceSightings(ProvisioningGrpc.ProvisioningFutureStub billing, InstantSource clock) {
    this.billing = billing;
    this.clock = clock;
  }

  /// Tells that a device was there, unless that was told a moment ago.
  void tell(String account, byte[] deviceKey) {
    ByteString key = ByteString.copyFrom(deviceKey);
    if (!isDue(new Device(account, key))) {
      return;
    }
    Futures.addCallback(
        billing
            .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
            .deviceSeen(
                DeviceSeenRequest.newBuilder().setAccount(account).setDeviceKey(key).build()),
        new FutureCallback<DeviceSeenResponse>() {
          @Override
          public void onSuccess(@Nullable DeviceSeenResponse answer) {}

          @Override
          public void onFailure(Throwable failure) {
            LOG.debug("a sighting of a device was not told: {}", failure.toString());
          }
        },
        MoreExecutors.directExecutor());
  }

  private synchronized boolean isDue(Device device) {
    Instant now = clock.instant();
    Instant last = told.get(device);
    if (last != null && now.isBefore(last.plus(PAUSE))) {
      return false;
    }
    told.put(device, now);
    return true;
  }
}
