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
  public record Device(String id, @Nullable Instant addedAt) {}
}
