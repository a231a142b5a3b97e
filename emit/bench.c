#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <time.h>
#include <stdint.h>
typedef void* P; typedef int32_t I; typedef uint64_t UL; typedef uint32_t U;
#define F(name, ret, ...) static ret (*name)(__VA_ARGS__)
F(clGetPlatformIDs, I, U, P*, U*); F(clGetDeviceIDs, I, P, UL, U, P*, U*); F(clCreateContext, P, const intptr_t*, U, P*, P, P, I*);
F(clCreateCommandQueue, P, P, P, UL, I*); F(clCreateBuffer, P, P, UL, size_t, P, I*); F(clCreateProgramWithSource, P, P, U, const char**, const size_t*, I*);
F(clBuildProgram, I, P, U, P*, const char*, P, P); F(clGetProgramBuildInfo, I, P, P, U, size_t, void*, size_t*); F(clCreateKernel, P, P, const char*, I*);
F(clSetKernelArg, I, P, U, size_t, const void*); F(clEnqueueNDRangeKernel, I, P, P, U, const size_t*, const size_t*, const size_t*, U, P*, P*); F(clFinish, I, P);
F(clEnqueueFillBuffer, I, P, P, const void*, size_t, size_t, size_t, U, P*, P*); F(clReleaseMemObject, I, P); F(clEnqueueCopyBuffer, I, P, P, P, size_t, size_t, size_t, U, P*, P*);
F(clGetDeviceInfo, I, P, U, size_t, void*, size_t*);
static double now(){ struct timespec t; clock_gettime(CLOCK_MONOTONIC,&t); return t.tv_sec+1e-9*t.tv_nsec; }
#define L(n) n=dlsym(h,#n)
int main(int c, char**v){
  void*h=dlopen("libOpenCL.so.1",RTLD_NOW); if(!h){puts(dlerror());return 1;}
  L(clGetPlatformIDs);L(clGetDeviceIDs);L(clCreateContext);L(clCreateCommandQueue);L(clCreateBuffer);L(clCreateProgramWithSource);L(clBuildProgram);L(clGetProgramBuildInfo);L(clCreateKernel);L(clSetKernelArg);L(clEnqueueNDRangeKernel);L(clFinish);L(clEnqueueFillBuffer);L(clReleaseMemObject);L(clEnqueueCopyBuffer);L(clGetDeviceInfo);
  P plats[8]; U np=0; clGetPlatformIDs(8,plats,&np); P dev=0; for(U i=0;i<np&&!dev;i++) clGetDeviceIDs(plats[i],0xFFFFFFFF,1,&dev,0);
  char nm[200]; clGetDeviceInfo(dev,0x102B,200,nm,0); printf("%s\n",nm);
  I e; P ctx=clCreateContext(0,1,&dev,0,0,&e); P q=clCreateCommandQueue(ctx,dev,0,&e);
  char path[400]; sprintf(path,"%s/index.txt",v[1]); FILE*f=fopen(path,"r"); const char*filter=c>2?v[2]:"";
  int reps=c>3?atoi(v[3]):20;
  char line[1000]; char name[200]; double bytes=0; P buf[16]; size_t len[16]; int nb=0; P ker[16]; size_t g[16][3], l[16][3]; int nk=0; double build=0; int skip=0;
  double copy=0;
  { size_t n=(size_t)1<<(c>4?atoi(v[4]):28); P a=clCreateBuffer(ctx,1,n,0,&e), b=clCreateBuffer(ctx,1,n,0,&e); float z=1; clEnqueueFillBuffer(q,a,&z,4,0,n,0,0,0); for(int k=0;k<3;k++){clFinish(q);double t=now(); for(int i=0;i<reps;i++)clEnqueueCopyBuffer(q,a,b,0,0,n,0,0,0); clFinish(q); double r=2.0*n*reps/(now()-t)/1e9; if(r>copy)copy=r;} printf("copy %.0f GB/s\n",copy); clReleaseMemObject(a); clReleaseMemObject(b);}
  while(fgets(line,1000,f)){
    char w[20]; sscanf(line,"%19s",w);
    if(!strcmp(w,"case")){ sscanf(line,"%*s %s %lf",name,&bytes); nb=nk=0; build=0; skip=strstr(name,filter)==0; }
    else if(skip) continue;
    else if(!strcmp(w,"buffer")){ size_t n; sscanf(line,"%*s %zu",&n); len[nb]=n; buf[nb]=clCreateBuffer(ctx,1,n<64?64:n,0,&e); if(e)printf("buffer %d\n",e); if(strstr(name,"F64")){double z=1.25; clEnqueueFillBuffer(q,buf[nb],&z,8,0,n/8*8,0,0,0);} else {float z=1.25; clEnqueueFillBuffer(q,buf[nb],&z,4,0,n/4*4,0,0,0);} nb++; }
    else if(!strcmp(w,"launch")){ char file[200], kn[100], opt[400]; int na; sscanf(line,"%*s %s %s %zu %zu %zu %zu %zu %zu %d %[^\n]",file,kn,&g[nk][0],&g[nk][1],&g[nk][2],&l[nk][0],&l[nk][1],&l[nk][2],&na,opt);
      sprintf(path,"%s/%s",v[1],file); FILE*s=fopen(path,"r"); static char src[4000000]; size_t n=fread(src,1,3999999,s); src[n]=0; fclose(s); const char*ps=src; double t=now();
      P pr=clCreateProgramWithSource(ctx,1,&ps,0,&e); e=clBuildProgram(pr,1,&dev,opt[0]=='-'&&opt[1]==0?"":opt,0,0); if(e){ static char log[100000]; clGetProgramBuildInfo(pr,dev,0x1183,99999,log,0); printf("%s build %d\n%s\n",file,e,log); }
      ker[nk]=clCreateKernel(pr,kn,&e); build+=now()-t; if(e)printf("kernel %d\n",e);
      for(int i=0;i<na;i++){ fgets(line,1000,f); char k; char val[100]; sscanf(line," %c %s",&k,val); I r=0; if(k=='b'){ r=clSetKernelArg(ker[nk],i,8,&buf[atoi(val)]);} else if(k=='i'){int x=atoi(val); r=clSetKernelArg(ker[nk],i,4,&x);} else if(k=='l'){int64_t x=atoll(val); r=clSetKernelArg(ker[nk],i,8,&x);} else if(k=='f'){float x=atof(val); r=clSetKernelArg(ker[nk],i,4,&x);} else {double x=atof(val); r=clSetKernelArg(ker[nk],i,8,&x);} if(r)printf("arg %d %d\n",i,r);}
      for(int d=0;d<3;d++) g[nk][d]*=l[nk][d]; nk++; }
    else if(!strcmp(w,"end")){
      double best=1e9; for(int k=0;k<4;k++){ clFinish(q); double t=now(); for(int i=0;i<reps;i++) for(int j=0;j<nk;j++){ I r=clEnqueueNDRangeKernel(q,ker[j],3,0,g[j],l[j],0,0,0); if(r&&!i)printf("enqueue %d\n",r);} clFinish(q); double d=(now()-t)/reps; if(d<best)best=d; }
      printf("%-26s %9.1f us %7.0f GB/s  %.2f of copy  launches %d build %.0f ms groups %zu x %zu,%zu\n",name,best*1e6,bytes/best/1e9,bytes/best/1e9/copy,nk,build*1e3,g[0][0]/l[0][0],l[0][0],l[0][1]); fflush(stdout);
      for(int i=0;i<nb;i++) clReleaseMemObject(buf[i]); }
  }
}
