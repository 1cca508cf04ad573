package io.viaduct.host.cgroup;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.viaduct.host.linux.Errno;
import java.lang.foreign.Arena;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class MarkProgramTest {
  /// The encoding of linux/bpf.h: code, registers, offset and constant, little-endian.
  @Test
  void theProgramStoresTheMarkInTheSocketAndAllowsIt() {
    try (Arena arena = Arena.ofConfined()) {
      byte[] program = MarkProgram.instructions(arena, 0x7662).toArray(JAVA_BYTE);
      assertThat(HexFormat.of().formatHex(program))
          .isEqualTo(
              "b7020000"
                  + "62760000" // r2 = 0x7662
                  + "63211000"
                  + "00000000" // *(u32 *)(r1 + 16) = r2
                  + "b7000000"
                  + "01000000" // r0 = 1
                  + "95000000"
                  + "00000000"); // exit
    }
  }

  @Test
  void aRefusalSaysWhatToDoAndForWhichKey() {
    ControlGroupException denied =
        ControlGroupException.ofProgram("the kernel takes no BPF program", Errno.EPERM.result());
    assertThat(denied.of("split-tunnel.control-groups"))
        .hasMessage(
            "split-tunnel.control-groups: the kernel takes no BPF program (EPERM (1)): run the agent"
                + " as root of the host, or with CAP_BPF and CAP_NET_ADMIN")
        .returns(ControlGroupException.Reason.NO_PERMISSION, ControlGroupException::reason);
    assertThatExceptionOfType(ControlGroupException.class)
        .isThrownBy(() -> {
          throw ControlGroupException.ofProgram("x", Errno.ENOSYS.result());
        })
        .withMessageContaining("Linux 5.7")
        .withMessageContaining("CONFIG_CGROUP_BPF");
  }
}
