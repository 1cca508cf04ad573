package io.viaduct.host.cgroup;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.host.linux.Bpf;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/// A BPF program (linux/bpf.h) that the kernel runs whenever a process of a control group creates a
/// socket of IPv4 or IPv6. It sets the socket's mark, so that already the first route look-up sees
/// the mark and chooses the source address by it. A program that sets a mark itself (SO_MARK)
/// replaces it.
///
///     struct bpf_insn                 start of union bpf_attr for BPF_PROG_LOAD
///     |0    |1         |2      |4  |  |0    |4     |8            |16      |48   |64      |68    |
///     |code |registers |offset |k  |  |type |count |instructions |license |name |ifindex |attach|
///
/// One thread at a time may use it.
public final class MarkProgram implements AutoCloseable {
  private static final int CODE = 0;
  private static final int REGISTERS = CODE + Byte.BYTES; // source in the upper half
  private static final int OFFSET = REGISTERS + Byte.BYTES;
  private static final int K = OFFSET + Short.BYTES;
  private static final int INSTRUCTION = K + Integer.BYTES;
  private static final int COUNT = 4;

  private static final byte MOVE = (byte) 0xb7; // BPF_ALU64 | BPF_MOV | BPF_K
  private static final byte STORE = 0x63; // BPF_STX | BPF_MEM | BPF_W
  private static final byte EXIT = (byte) 0x95; // BPF_JMP | BPF_EXIT
  private static final byte R0 = 0; // result: 1 allows the socket
  private static final byte R1 = 1; // struct bpf_sock
  private static final byte R2 = 2;
  private static final short SOCKET_MARK = 16; // offsetof(struct bpf_sock, mark)

  private static final int LOAD_COUNT = Integer.BYTES;
  private static final int LOAD_INSTRUCTIONS = LOAD_COUNT + Integer.BYTES;
  private static final int LOAD_LICENSE = LOAD_INSTRUCTIONS + Long.BYTES;
  private static final int LOAD_NAME = 48;
  private static final int LOAD_ATTACH_TYPE = 68;
  private static final int LOAD = LOAD_ATTACH_TYPE + Integer.BYTES;
  private static final String NAME = "viaduct_outside"; // 15 characters at most

  private static final int LINK_GROUP = Integer.BYTES;
  private static final int LINK_ATTACH_TYPE = LINK_GROUP + Integer.BYTES;
  private static final int LINK = LINK_ATTACH_TYPE + 2 * Integer.BYTES; // flags are 0

  private final SystemCalls calls;
  private final int fd;

  private MarkProgram(SystemCalls calls, int fd) {
    this.calls = calls;
    this.fd = fd;
  }

  /// Loads the program. No control group has it yet.
  ///
  /// @throws ControlGroupException if the right or the kernel's support is missing
  public static MarkProgram load(int mark) throws ControlGroupException {
    SystemCalls calls = new SystemCalls();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment load = arena.allocate(LOAD, Long.BYTES);
      load.set(JAVA_INT, 0, Bpf.BPF_PROG_TYPE_CGROUP_SOCK);
      load.set(JAVA_INT, LOAD_COUNT, COUNT);
      load.set(JAVA_LONG, LOAD_INSTRUCTIONS, instructions(arena, mark).address());
      load.set(JAVA_LONG, LOAD_LICENSE, arena.allocateFrom("").address()); // calls no helper
      load.setString(LOAD_NAME, NAME);
      load.set(JAVA_INT, LOAD_ATTACH_TYPE, Bpf.BPF_CGROUP_INET_SOCK_CREATE);
      int loaded = calls.bpf(Bpf.BPF_PROG_LOAD, load.address(), LOAD);
      if (loaded < 0) {
        throw ControlGroupException.ofProgram("the kernel takes no BPF program", loaded);
      }
      return new MarkProgram(calls, loaded);
    }
  }

  static MemorySegment instructions(SegmentAllocator memory, int mark) {
    MemorySegment program = memory.allocate((long) COUNT * INSTRUCTION, Long.BYTES);
    instruction(program, 0, MOVE, R2, (short) 0, mark);
    instruction(program, 1, STORE, (byte) (R2 << 4 | R1), SOCKET_MARK, 0);
    instruction(program, 2, MOVE, R0, (short) 0, 1);
    instruction(program, 3, EXIT, R0, (short) 0, 0);
    return program;
  }

  private static void instruction(
      MemorySegment program, int number, byte code, byte registers, short offset, int k) {
    long at = (long) number * INSTRUCTION;
    program.set(JAVA_BYTE, at + CODE, code);
    program.set(JAVA_BYTE, at + REGISTERS, registers);
    program.set(JAVA_SHORT, at + OFFSET, offset);
    program.set(JAVA_INT, at + K, k);
  }

  /// The program at a control group. The kernel takes it off when the link is closed, also by the
  /// end of this process.
  public final class Link implements AutoCloseable {
    private final int link;

    private Link(int link) {
      this.link = link;
    }

    @Override
    public void close() {
      calls.close(link);
    }
  }

  /// Lets the program run for the processes of a group and of those below it, beside the programs
  /// that others have attached.
  ///
  /// @throws ControlGroupException if the group has ended, or the kernel refuses it
  public Link attach(ControlGroup group) throws ControlGroupException {
    String refusal = "no BPF program can be attached to the control group " + group.directory();
    int directory = calls.open(group.directory().toString(), Sockets.O_CLOEXEC); // read only
    if (directory < 0) {
      throw ControlGroupException.ofProgram(refusal, directory);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment wanted = arena.allocate(LINK, Long.BYTES);
      wanted.set(JAVA_INT, 0, fd);
      wanted.set(JAVA_INT, LINK_GROUP, directory);
      wanted.set(JAVA_INT, LINK_ATTACH_TYPE, Bpf.BPF_CGROUP_INET_SOCK_CREATE);
      int made = calls.bpf(Bpf.BPF_LINK_CREATE, wanted.address(), LINK);
      if (made < 0) {
        throw ControlGroupException.ofProgram(refusal, made);
      }
      return new Link(made);
    } finally {
      calls.close(directory);
    }
  }

  @Override
  public void close() {
    calls.close(fd);
  }
}
