package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes of a list of revocations in docs/protocol.md with those that the code writes.
/// The bytes on the page come from an independent implementation (Python).
class GoldenRevocationTest {
  private static final String PUBLIC_KEY =
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
  private static final long UNTIL_MS = 1_790_000_660_000L;

  @Test
  void thePageShowsTheListThatTheCodeWrites() throws Exception {
    Revocations list =
        Revocations.newBuilder()
            .addEntries(
                Revocation.newBuilder()
                    .setAccount("alice")
                    .setUntilMs(UNTIL_MS)
                    .setReason(Revocation.Reason.SUSPENDED))
            .addEntries(
                Revocation.newBuilder()
                    .setAccount("bob")
                    .setDeviceKey(ByteString.copyFrom(HexFormat.of().parseHex(PUBLIC_KEY)))
                    .setUntilMs(UNTIL_MS)
                    .setReason(Revocation.Reason.DEVICE_REMOVED))
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("revocations", HexFormat.of().formatHex(list.toByteArray()));
  }
}
