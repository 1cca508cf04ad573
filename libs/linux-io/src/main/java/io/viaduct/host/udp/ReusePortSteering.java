package io.viaduct.host.udp;

import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;

/// Chooses one of the sockets of a port for each datagram. The kernel runs a classic BPF program
/// (linux/filter.h) on the payload: socket number, in the order of binding, is `payload[offset] mod
/// sockets`. A datagram that is too short for that byte goes to the first socket.
///
///     struct sock_filter        struct sock_fprog
///     |0    |2   |3   |4   |    |0      |8       |
///     |code |jt  |jf  |k   |    |length |filter  |
final class ReusePortSteering {
  private static final int CODE = 0;
  private static final int K = CODE + Short.BYTES + 2 * Byte.BYTES;
  private static final int INSTRUCTION = K + Integer.BYTES;
  private static final int PROGRAM_FILTER = Long.BYTES;
  private static final int PROGRAM = PROGRAM_FILTER + Long.BYTES;

  private static final short LOAD_BYTE = 0x30; // BPF_LD | BPF_B | BPF_ABS
  private static final short MODULO = (short) 0x94; // BPF_ALU | BPF_MOD | BPF_K
  private static final short RETURN = 0x16; // BPF_RET | BPF_A

  private ReusePortSteering() {}

  static void attach(SystemCalls calls, int fd, int payloadOffset, int sockets)
      throws SocketException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment filter = arena.allocate(3L * INSTRUCTION, Long.BYTES);
      instruction(filter, 0, LOAD_BYTE, payloadOffset);
      instruction(filter, 1, MODULO, sockets);
      instruction(filter, 2, RETURN, 0);
      MemorySegment program = arena.allocate(PROGRAM, Long.BYTES);
      program.set(ValueLayout.JAVA_SHORT, 0, (short) 3);
      program.set(ValueLayout.JAVA_LONG, PROGRAM_FILTER, filter.address());
      int attached =
          calls.setsockopt(
              fd, Sockets.SOL_SOCKET, Sockets.SO_ATTACH_REUSEPORT_CBPF, program.address(), PROGRAM);
      if (attached < 0) {
        throw new SocketException(
            "datagrams cannot be steered to their event loop (%s): Linux 4.5 or newer is needed"
                .formatted(Errno.text(attached)));
      }
    }
  }

  private static void instruction(MemorySegment filter, int number, short code, int k) {
    long at = (long) number * INSTRUCTION;
    filter.set(ValueLayout.JAVA_SHORT, at + CODE, code);
    filter.set(ValueLayout.JAVA_INT, at + K, k);
  }
}
