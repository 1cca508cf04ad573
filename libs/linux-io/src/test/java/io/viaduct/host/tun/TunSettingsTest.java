package io.viaduct.host.tun;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TunSettingsTest {
  @Test
  void aNameThatTheKernelWouldCutIsRefused() {
    assertThatThrownBy(() -> new TunSettings("sixteen-letters!", 1))
        .hasMessageContaining("1 to 15 bytes")
        .hasMessageContaining("sixteen-letters!");
    assertThatThrownBy(() -> new TunSettings("", 1)).hasMessageContaining("1 to 15 bytes");
  }

  @Test
  void aNumberOfQueuesThatTheKernelLacksIsRefused() {
    assertThatThrownBy(() -> new TunSettings("tun0", 0)).hasMessageContaining("1 to 256 queues");
    assertThatThrownBy(() -> new TunSettings("tun0", 257)).hasMessageContaining("got 257");
  }
}
