package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The devices of an account.
///
/// @param devicesMax how many it may have
public record DeviceList(List<Device> devices, int devicesMax) {
  public DeviceList {
    devices = List.copyOf(devices);
  }

  /// @param id the device's public key, as `cnapt keygen` prints it
  /// @param name the user's name of it, null or empty without one
  /// @param lastSeenAt when it asked for a token last, null if that was never told
  public record Device(
      String id, @Nullable String name, @Nullable Instant addedAt, @Nullable Instant lastSeenAt) {}
}
