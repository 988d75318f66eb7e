# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs rdma-core's cases: `run.py FOLDER CASE...`. FOLDER holds the package `tests`. Each case that has ended
is a line: its name, the outcome and the reason, with tabs between."""
import itertools
import os
import sys
import time
import types
import unittest

DEVICES = {'fw0': '10.0.0.1', 'fw1': '10.0.0.2'}
OWN, PEER = DEVICES.values()
MAC = '02:00:0a:00:00:01'
# seconds until a Write of a kilobyte is in the peer's memory
PLACED = 0.3


class Vendor(types.ModuleType):
    """A module of pyverbs over another vendor's library, which this machine does not have."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return type(name, (), {})


class Told(unittest.TestResult):
    """Tells each outcome."""

    def startTest(self, case):
        alone.clear()

    def tell(self, case, outcome, why=''):
        print(case.id(), outcome, ' '.join(str(why).split()), sep='\t', flush=True)

    def addSuccess(self, case):
        self.tell(case, 'passed')

    def addSkip(self, case, why):
        self.tell(case, 'skipped', why)

    def addFailure(self, case, why):
        self.tell(case, 'failed', why[1])

    addError = addFailure


folder, cases = sys.argv[1], sys.argv[2:]
for name in 'efa.efadv', 'mlx5.mlx5dv', 'mlx5.mlx5dv_objects':
    sys.modules['pyverbs.providers.' + name] = Vendor(name)
sys.path[:0] = [folder, os.path.join(folder, 'tests')]
from args_parser import parser  # noqa: E402
del sys.argv[1:]
parser.parse_args()
import tests  # noqa: E402
import tests.base as base  # noqa: E402
import tests.base_rdmacm as rdmacm  # noqa: E402
import tests.utils as utils  # noqa: E402
import pyverbs.cm_enums as ce  # noqa: E402
import pyverbs.enums as enums  # noqa: E402
from pyverbs.cmid import CMID, AddrInfo, CMEvent, CMEventChannel, ConnParam  # noqa: E402

# the shim: the host has no interface with the device's address, and each process needs a device of its own
base.RDMATestCase._get_ip_mac = lambda case, dev, port, gid: case.args.append([dev, port, gid, OWN, MAC])
info = rdmacm.AddrInfo
rdmacm.AddrInfo = lambda **asked: info(**({**asked, 'src': PEER} if asked.get('dst') else asked))

# the second shim: a queue pair of an iWARP device gets to RTS by a connection alone, with a queue pair of
# another device
alone, ports, turns = [], itertools.count(7500), itertools.cycle(DEVICES)
init = base.BaseResources.__init__
base.BaseResources.__init__ = lambda end, dev_name, ib_port, gid_index: init(end, next(turns), ib_port, gid_index)


def happened(channel, *kinds):
    """The next event, of one of these kinds."""
    event = CMEvent(channel)
    assert event.event_type in kinds, event.event_str()
    return event


def join(client, server, nth):
    """Connects the queue pairs of two ends."""
    channel, port = CMEventChannel(), str(next(ports))
    listener, asking = CMID(creator=channel), CMID(creator=channel)
    own, peer = DEVICES[client.dev_name], DEVICES[server.dev_name]
    listener.bind_addr(AddrInfo(src=peer, src_service=port, port_space=ce.RDMA_PS_TCP, flags=ce.RAI_PASSIVE))
    listener.listen()
    asking.resolve_addr(AddrInfo(src=own, dst=peer, dst_service=port, port_space=ce.RDMA_PS_TCP))
    happened(channel, ce.RDMA_CM_EVENT_ADDR_RESOLVED).ack_cm_event()
    asking.resolve_route()
    happened(channel, ce.RDMA_CM_EVENT_ROUTE_RESOLVED).ack_cm_event()
    asking.connect(ConnParam(qp_num=client.qps[nth].qp_num))
    request = happened(channel, ce.RDMA_CM_EVENT_CONNECT_REQUEST)
    asked = CMID(creator=request, listen_id=listener)
    request.ack_cm_event()
    asked.accept(ConnParam(qp_num=server.qps[nth].qp_num))
    for _ in range(2):
        happened(channel, ce.RDMA_CM_EVENT_CONNECT_RESPONSE, ce.RDMA_CM_EVENT_ESTABLISHED).ack_cm_event()
    asking.establish()
    client.joined = server.joined = (listener, asking, asked, channel)


def to_rts(end):
    """Waits for the other end, and connects both."""
    alone.append(end)
    if len(alone) == 2:
        for nth in range(end.qp_count):
            join(*alone, nth)
        alone.clear()


base.RCResources.to_rts = to_rts

# the third shim: an iWARP Write may be placed behind its completion, at which the cases look
poll, traffic = utils.poll_cq, utils.rdma_traffic


def rdma_traffic(*args, send_op=None, **kwargs):
    """Traffic of one opcode. Behind the completion of a Write there is a pause."""
    pause = PLACED if send_op in (enums.IBV_WR_RDMA_WRITE, enums.IBV_QP_EX_WITH_RDMA_WRITE) else 0
    utils.poll_cq = lambda *queue, **options: (poll(*queue, **options), time.sleep(pause))
    try:
        traffic(*args, send_op=send_op, **kwargs)
    finally:
        utils.poll_cq = poll


utils.rdma_traffic = rdma_traffic

loader = unittest.TestLoader()
suite = unittest.TestSuite(loader.loadTestsFromName(case) for case in cases)
suite.run(Told())
