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

  private static final int KEY_SHOWN = 8;

  /// Returns what people call a device: its name, or the beginning of its key if it has none or was
  /// removed.
  public String name(String id) {
    return devices.stream()
        .filter(device -> device.id().equals(id))
        .map(Device::name)
        .filter(name -> name != null && !name.isBlank())
        .findFirst()
        .orElse(id.length() <= KEY_SHOWN ? id : id.substring(0, KEY_SHOWN) + "\u2026");
  }

  /// @param id the device's public key, as `cnapt keygen` prints it
  /// @param name the user's name of it, null or empty without one
  /// @param lastSeenAt when it asked for a token last, null if that was never told
  public record Device(
      String id, @Nullable String name, @Nullable Instant addedAt, @Nullable Instant lastSeenAt) {}
}
