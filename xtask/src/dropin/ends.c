// SPDX-License-Identifier: MIT OR Apache-2.0
// A program that opens one of each object and ends as its argument says. `ends.rs` runs it.
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char memory[1 << 16];

static void need(int is_so, const char *what)
{
    if (!is_so) {
        perror(what);
        _exit(2);
    }
}

int main(int count, char **words)
{
    const char *end = count > 1 ? words[1] : "";
    int flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
    struct ibv_device **list = ibv_get_device_list(NULL);
    need(list && list[0], "a device");
    struct ibv_context *context = ibv_open_device(list[0]);
    need(context != NULL, "open");
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    need(pd && channel, "domain and channel");
    struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof memory, flags);
    struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, channel, 0);
    need(mr && cq && ibv_req_notify_cq(cq, 0) == 0, "region and queue");
    struct ibv_qp_init_attr attr = {
        .send_cq = cq,
        .recv_cq = cq,
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
    };
    struct ibv_qp *qp = ibv_create_qp(pd, &attr);
    need(qp != NULL, "queue pair");
    struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = 64, .lkey = mr->lkey};
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = 1}, *bad;
    need(ibv_post_recv(qp, &receive, &bad) == 0, "receive");
    puts("ready");
    fflush(stdout);
    if (!strcmp(end, "waits")) {
        for (;;)
            pause();
    }
    if (!strcmp(end, "exits"))
        exit(0);
    if (!strcmp(end, "execs")) {
        execlp("true", "true", (char *)NULL);
        _exit(4);
    }
    if (!strcmp(end, "forks")) {
        pid_t child = fork();
        need(child >= 0, "fork");
        if (child == 0) {
            // the device is the parent's
            if (ibv_create_cq(context, 16, NULL, NULL, 0))
                _exit(3);
            execlp("true", "true", (char *)NULL);
            _exit(4);
        }
        int status;
        need(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "child");
    }
    need(ibv_destroy_qp(qp) == 0 && ibv_dereg_mr(mr) == 0 && ibv_destroy_cq(cq) == 0, "destroy");
    need(ibv_destroy_comp_channel(channel) == 0 && ibv_dealloc_pd(pd) == 0, "destroy");
    need(ibv_close_device(context) == 0, "close");
    ibv_free_device_list(list);
    return 0;
}
